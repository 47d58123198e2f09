"""Request formats, one small module each: see `memori_core.interception.wire.base`."""
