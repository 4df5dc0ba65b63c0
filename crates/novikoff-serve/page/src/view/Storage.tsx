import type { Description } from "../api";
import { bytes, count, plural } from "../format";

const SYNC: Record<string, string> = {
  always: "after the disk has the label",
  interval: "before the disk has the label; the disk is synced at an interval",
  never: "before the disk has the label; the system decides when it is written",
};

/** The log and the last snapshot. */
export function Storage({ model }: { model: Description }) {
  const { log, snapshot, seq } = model;
  return (
    <section>
      <h2>Log and snapshot</h2>
      {log.blocked !== null && <p class="notice">Nothing is learned now: {log.blocked}. Predictions go on.</p>}
      <dl class="pairs">
        <dt>rows learned (seq)</dt>
        <dd>{count(seq)}</dd>
        <dt>log</dt>
        <dd>
          {bytes(log.bytes)} in {plural(log.segments, "segment")}
          {log.first_seq > 1 && `, from row ${count(log.first_seq)}`}
        </dd>
        <dt>learn is answered</dt>
        <dd>
          <code>{log.sync}</code> {SYNC[log.sync]}
        </dd>
        <dt>snapshot</dt>
        <dd>
          {snapshot === null
            ? "none yet: a restart replays the log"
            : `${bytes(snapshot.bytes)} at row ${count(snapshot.seq)}; a restart replays ${plural(Math.max(seq - snapshot.seq, 0), "row")}`}
        </dd>
      </dl>
    </section>
  );
}
