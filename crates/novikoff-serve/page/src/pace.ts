// Rows per second over the last seconds.

/** Milliseconds that the rate is taken over. */
const SPAN = 10_000;

export class Pace {
  private heard: { time: number; seq: number }[] = [];

  /** `now` is the clock, in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(seq: number): void {
    const time = this.now();
    this.heard.push({ time, seq });
    // one older entry is kept: rows are counted from it
    while (this.heard.length > 2 && (this.heard[1]?.time ?? time) < time - SPAN) this.heard.shift();
  }

  /** After a connection was lost nothing is known of the time between. */
  forget(): void {
    this.heard = [];
  }

  isMoving(): boolean {
    return this.perSecond() > 0;
  }

  perSecond(): number {
    const now = this.now();
    const last = this.heard.at(-1);
    const recent = this.heard.filter(({ time }) => time >= now - SPAN);
    const first = this.heard[this.heard.length - recent.length - 1] ?? recent[0];
    if (last === undefined || first === undefined || recent.length === 0 || last.seq === first.seq) return 0;
    const since = Math.max(first.time, now - SPAN);
    return ((last.seq - first.seq) * 1000) / Math.max(now - since, 1000);
  }
}
