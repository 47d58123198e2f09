"""What a store promises of the queue: who works on which turn, and how often."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from memori_core.conversation import Message
from memori_core.errors import LeaseLostError
from memori_core.stores.base import Store
from memori_core.testing.facts import ALICE, BOB, contents, fact_record, run
from memori_core.testing.turns import NOW, append, claim, turn
from memori_core.writes import CreateFact, FinishJob, UpdateConversation

MINUTE = timedelta(minutes=1)


class JobConformance:
    """The part of `StoreConformance` that is about jobs."""

    def test_jobs_are_given_out_oldest_first_one_per_entity(self, store: Store) -> None:
        append(store, ALICE, "a1")
        append(store, ALICE, "a2")
        append(store, BOB, "b1")
        append(store, ALICE, "c1", session_id="other")
        run(store, ALICE, turn("quiet", job=False))
        assert [job.id for job in claim(store, 1)] == ["a1"]
        assert [job.id for job in claim(store)] == ["b1"]
        assert claim(store) == []
        assert store.jobs() == {"waiting": 2, "running": 2, "done": 0, "dead": 0}

    def test_a_job_that_waits_for_its_retry_does_not_hold_up_other_sessions(
        self, store: Store
    ) -> None:
        append(store, ALICE, "a1")
        append(store, ALICE, "a2")
        append(store, ALICE, "c1", session_id="other")
        (first,) = claim(store)
        store.release_job(first, error="no answer", retry_at=NOW + MINUTE / 2)
        assert [job.id for job in claim(store)] == ["c1"]

    def test_a_renewed_job_is_given_to_nobody_else(self, store: Store) -> None:
        append(store, ALICE, "t")
        (job,) = claim(store, lease_s=60)
        late = NOW + MINUTE - timedelta(seconds=1)
        assert store.renew_job(job, lease_s=60, now=late)
        assert claim(store, now=NOW + MINUTE) == []
        (taken,) = claim(store, now=late + MINUTE)
        assert not store.renew_job(job, lease_s=60, now=late + MINUTE)
        run(store, ALICE, FinishJob("t", lease=taken.lease))
        assert not store.renew_job(taken, lease_s=60, now=late + MINUTE)

    def test_a_job_brings_its_messages_and_the_summary_before_them(self, store: Store) -> None:
        append(store, ALICE, "t")
        run(store, ALICE, UpdateConversation("s", summary="Talk"))
        (job,) = claim(store)
        assert (job.id, job.entity_id, job.process_id, job.session_id) == (
            "t",
            "alice",
            "agent",
            "s",
        )
        assert list(job.messages) == store.messages(ALICE)
        assert (job.summary, job.attempts) == ("Talk", 1)

    def test_a_finished_job_lets_the_next_one_of_its_session_run(self, store: Store) -> None:
        append(store, ALICE, "1")
        append(store, ALICE, "2")
        (job,) = claim(store)
        revision = store.revision(ALICE)
        assert run(store, ALICE, FinishJob("1", lease=job.lease)).revision == revision
        assert [job.id for job in claim(store)] == ["2"]
        assert store.jobs() == {"waiting": 0, "running": 1, "done": 1, "dead": 0}

    def test_the_batch_of_a_job_is_applied_once(self, store: Store) -> None:
        append(store, ALICE, "t")
        (job,) = claim(store)
        ops = (CreateFact(fact_record("User likes tea")), FinishJob("t", lease=job.lease))
        run(store, ALICE, *ops)
        with pytest.raises(LeaseLostError, match="'t'"):
            run(store, ALICE, *ops)
        (stored,) = store.facts(ALICE)
        assert (stored.fact.times, store.revision(ALICE)) == (1, 2)

    def test_the_batch_of_another_lease_is_refused_whole(self, store: Store) -> None:
        append(store, ALICE, "t")
        new = CreateFact(fact_record("User likes tea"))
        for job_id, lease in (("t", ""), ("unknown", "x")):
            with pytest.raises(LeaseLostError):
                run(store, ALICE, new, FinishJob(job_id, lease=lease))
        (job,) = claim(store)
        with pytest.raises(LeaseLostError):
            run(store, BOB, new, FinishJob("t", lease=job.lease))
        assert (contents(store, ALICE), contents(store, BOB)) == ([], [])

    def test_a_job_is_taken_up_again_when_its_lease_ran_out(self, store: Store) -> None:
        append(store, ALICE, "t")
        (lost,) = claim(store, lease_s=60)
        assert claim(store, now=NOW + MINUTE - timedelta(seconds=1)) == []
        (taken,) = claim(store, now=NOW + MINUTE)
        assert (taken.id, taken.attempts) == ("t", 2)
        assert taken.lease != lost.lease
        new = CreateFact(fact_record("User likes tea"))
        with pytest.raises(LeaseLostError):
            run(store, ALICE, new, FinishJob("t", lease=lost.lease))
        store.release_job(lost, error="late", retry_at=None)
        run(store, ALICE, new, FinishJob("t", lease=taken.lease))
        assert store.jobs()["done"] == 1
        assert [r.fact.times for r in store.facts(ALICE)] == [1]

    def test_an_expired_job_that_nobody_took_can_still_be_finished(self, store: Store) -> None:
        append(store, ALICE, "t")
        (job,) = claim(store, lease_s=0.001)
        run(store, ALICE, FinishJob("t", lease=job.lease))
        assert claim(store, now=NOW + MINUTE) == []

    def test_a_failed_job_waits_and_holds_up_its_session(self, store: Store) -> None:
        append(store, ALICE, "1")
        append(store, ALICE, "2")
        append(store, BOB, "3")
        first, _ = claim(store)
        store.release_job(first, error="no answer", retry_at=NOW + MINUTE / 2)
        assert store.jobs() == {"waiting": 2, "running": 1, "done": 0, "dead": 0}
        assert claim(store) == []
        (again,) = claim(store, now=NOW + MINUTE / 2)
        assert (again.id, again.attempts) == ("1", 2)

    def test_a_dead_job_holds_up_nobody_and_can_be_revived(self, store: Store) -> None:
        append(store, ALICE, "1")
        append(store, ALICE, "2")
        (first,) = claim(store)
        store.release_job(first, error="hopeless", retry_at=None)
        (second,) = claim(store)
        assert second.id == "2"
        assert (store.jobs()["dead"], store.stats()["jobs"]) == (1, 2)
        assert store.revive_jobs() == 1
        assert store.revive_jobs() == 0
        assert claim(store) == []  # the second one runs
        append(store, ALICE, "3")
        run(store, ALICE, FinishJob("2", lease=second.lease))
        (revived,) = claim(store)
        assert (revived.id, revived.attempts) == ("1", 1)

    def test_a_turn_that_is_completed_while_its_job_runs_is_started_again(
        self, store: Store
    ) -> None:
        asked = Message("user", "I like tea")
        run(store, ALICE, turn("t", asked, status="partial"))
        (early,) = claim(store)
        run(store, ALICE, turn("t", asked, Message("assistant", "Noted")))
        with pytest.raises(LeaseLostError):
            run(store, ALICE, FinishJob("t", lease=early.lease))
        (late,) = claim(store)
        assert (len(late.messages), late.attempts) == (2, 2)
        run(store, ALICE, FinishJob("t", lease=late.lease))
        assert claim(store, now=NOW + MINUTE) == []

    def test_a_job_that_is_done_is_not_done_again(self, store: Store) -> None:
        asked = Message("user", "I like tea")
        run(store, ALICE, turn("t", asked, status="partial"))
        (job,) = claim(store)
        run(store, ALICE, FinishJob("t", lease=job.lease))
        run(store, ALICE, turn("t", asked, Message("assistant", "Noted")))
        assert len(store.messages(ALICE)) == 2
        assert claim(store) == []

    def test_the_job_of_an_erased_entity_brings_nothing_back(self, store: Store) -> None:
        append(store, ALICE, "t")
        (job,) = claim(store)
        store.erase(ALICE)
        with pytest.raises(LeaseLostError):
            run(
                store,
                ALICE,
                CreateFact(fact_record("User likes tea")),
                FinishJob("t", lease=job.lease),
            )
        store.release_job(job, error="gone", retry_at=None)
        assert store.facts(ALICE) == []
        assert sum(store.jobs().values()) == 0

    def test_many_workers_share_a_backlog_without_a_job_twice(self, store: Store) -> None:
        for n in range(60):
            append(store, (ALICE, BOB)[n % 2], f"t{n}", session_id=f"s{n % 12}")

        def work(_: int) -> list[str]:
            mine: list[str] = []
            while jobs := claim(store, 2):
                for job in jobs:
                    mine.append(job.id)
                    scope = ALICE if job.entity_id == "alice" else BOB
                    run(store, scope, FinishJob(job.id, lease=job.lease))
            return mine

        with ThreadPoolExecutor(4) as pool:
            done = [job_id for mine in pool.map(work, range(4)) for job_id in mine]
        done += work(0)  # a worker may stop while another one holds up the last entity
        assert sorted(done) == sorted(f"t{n}" for n in range(60))
        assert store.jobs() == {"waiting": 0, "running": 0, "done": 60, "dead": 0}
