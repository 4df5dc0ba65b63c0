"""Rounds over the partitions: the dual variables go from RDD to RDD, so that Spark computes again what an executor takes with it."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator

from pyspark import StorageLevel

from .. import _native
from ._rows import KEPT, PackedRows, as_bytes, own_errors, settle

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

# More partitions than this are added up in two levels, the first of them on the executors.
_FLAT = 32

# Where dual variables are kept when their lineage was cut and there is no folder that all nodes reach.
_TWICE = StorageLevel(True, True, False, True, 2)


def say(progress: bool, text: str) -> None:
    """A line of progress on the driver."""
    if progress:
        sys.stderr.write(f"novikoff: {text}\n")
        sys.stderr.flush()


@contextmanager
def job_group(context: SparkContext, name: str, what: str) -> Iterator[None]:
    """All jobs inside belong to a group, which ``SparkContext.cancelJobGroup`` cancels."""
    keys = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
    before = {key: context.getLocalProperty(key) for key in keys}
    context.setJobGroup(name, what, interruptOnCancel=True)
    try:
        yield
    finally:
        for key, value in before.items():
            context.setLocalProperty(key, value)  # type: ignore[arg-type]


def added(answers: RDD[Any], partitions: int, add: Callable[[list[bytes]], bytes]) -> bytes:
    """The sum of one answer per partition, in the order of the partitions: a tree whose shape depends on their number alone."""
    if partitions > _FLAT:
        width = math.isqrt(partitions - 1) + 1
        groups = -(-answers.getNumPartitions() // width)
        grouped = answers.map(lambda answer: (answer[0] // width, answer)).groupByKey(groups)
        answers = grouped.map(lambda group: (group[0], add([part for _, part in sorted(group[1])])))
    return add([part for _, part in sorted(answers.collect())])


def _sum(answers: list[bytes]) -> bytes:
    return _native.LocalAnswer.sum(answers).to_bytes()


class LostState(Exception):
    """All copies of dual variables whose lineage was cut are gone."""


class DualState:
    """The dual variables of all rows, and the rounds over them."""

    def __init__(self, packed: PackedRows, words: dict[str, Any], interval: int) -> None:
        self._packed, self._words, self._interval = packed, words, interval
        self._context = packed.rdd.context
        self._is_reliable = self._context._jsc.sc().getCheckpointDir().isDefined()  # type: ignore[union-attr]
        #: The variables; none as long as all are where they begin.
        self._state: RDD[Any] | None = None
        #: Older ones, which the lineage may need again.
        self._older: list[RDD[Any]] = []
        #: What the rounds since the last cut were given.
        self._given: list[Any] = []
        self._rounds = 0

    def step(self, point: Any, active: list[bool], **work: Any) -> Any:
        """One round: passes from the point, and sums at it if they are wanted. Gives the sum of all answers."""
        given = self._context.broadcast(point.to_bytes())
        self._given.append(given)
        run = _steps(self._words, given, _work(active, shares=True, **work))
        state = as_bytes(self._pairs().mapPartitionsWithIndex(run, preservesPartitioning=True))
        self._rounds += 1
        is_cut = self._rounds % self._interval == 0
        if is_cut and self._is_reliable:
            state.persist(KEPT)
            state.checkpoint()
        elif is_cut:
            # without a folder that all nodes reach: two executors hold each part
            state.persist(_TWICE)
            state.localCheckpoint()
        else:
            state.persist(KEPT)
        answers = state.mapPartitionsWithIndex(_answers)
        total = self._added(answers)
        if self._state is not None:
            self._older.append(self._state)
        self._state = state
        if is_cut:
            self._forget()
        else:
            for old in self._older[:-1]:
                old.unpersist()
        return total

    def look(self, point: Any, active: list[bool], **work: Any) -> Any:
        """The sum of the answers to a question that changes no variable."""
        given = self._context.broadcast(point.to_bytes())
        try:
            answers = self._pairs().mapPartitionsWithIndex(_looks(self._words, given, _work(active, **work)))
            return self._added(answers)
        finally:
            given.unpersist()

    def close(self) -> None:
        """The executors forget the variables."""
        self._forget()
        if self._state is not None:
            self._state.unpersist()

    def _pairs(self) -> RDD[Any]:
        rows = self._packed.rdd
        if self._state is None:
            return rows.map(lambda block: (block, None))
        return rows.zip(self._state)

    def _added(self, answers: RDD[Any]) -> Any:
        try:
            with own_errors():
                return _native.LocalAnswer.sum([added(answers, self._packed.rdd.getNumPartitions(), _sum)])
        except Exception as error:
            if "Checkpoint block" in str(error):
                raise LostState from error
            raise

    def _forget(self) -> None:
        for old in self._older:
            old.unpersist()
        for given in self._given:
            given.unpersist()
        self._older, self._given = [], []


def _work(active: list[bool], **given: Any) -> dict[str, Any]:
    usual = {"passes": 0, "seed": 0, "momentum": [], "sums": False, "shares": False, "balance": None, "fixed": None, "candidates": []}
    return {**usual, "active": active, **given}


def _steps(words: dict[str, Any], point: Any, work: dict[str, Any]) -> Callable[[int, Iterator[Any]], Iterator[Any]]:
    def run(index: int, pairs: Iterator[Any]) -> Iterator[Any]:
        settle()
        work_of_partition = None
        last = None
        for rows, state in pairs:
            if work_of_partition is None:
                work_of_partition = _native.LocalRound(words, point.value, work, index)
            if last is not None:
                yield _joined(last, b"")
            last = work_of_partition.step(rows, _variables(state))
        # the last block brings what the whole partition answers
        if work_of_partition is not None:
            yield _joined(last, work_of_partition.answer())

    return run


def _joined(variables: Any, answer: bytes) -> bytes:
    """The variables of a block, and what the partition answers."""
    return b"".join((len(variables).to_bytes(8, "little"), variables, answer))


def _variables(joined: bytes | None) -> bytes | None:
    return None if joined is None else joined[8 : 8 + int.from_bytes(joined[:8], "little")]


def _looks(words: dict[str, Any], point: Any, work: dict[str, Any]) -> Callable[[int, Iterator[Any]], Iterator[Any]]:
    def run(index: int, pairs: Iterator[Any]) -> Iterator[Any]:
        settle()
        work_of_partition = None
        for rows, state in pairs:
            if work_of_partition is None:
                work_of_partition = _native.LocalRound(words, point.value, work, index)
            work_of_partition.step(rows, _variables(state))
        if work_of_partition is not None:
            yield index, work_of_partition.answer()

    return run


def _answers(index: int, states: Iterator[Any]) -> Iterator[Any]:
    settle()
    for joined in states:
        answer = joined[8 + int.from_bytes(joined[:8], "little") :]
        if answer:
            yield index, answer
