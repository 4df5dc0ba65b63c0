// One model as it learns: its events, and what is asked for when they say that something has changed.

import {
  ApiError,
  type CertificateReply,
  type Description,
  type Mistake,
  type Point,
  type Standing,
  type Weights,
  call,
  pathOf,
  said,
} from "./api";
import { Pace } from "./pace";
import { readEvents } from "./sse";

/** How the server is heard. */
export type Link = { state: "connecting" } | { state: "live" } | { state: "lost"; why: string };

/** The least milliseconds between two requests of a kind. */
const DESCRIPTION = 2000;
const MISTAKES = 2000;
const HISTORY = 3000;
const WEIGHTS = 5000;
const CERTIFICATE = 4000;

/** A certificate costs as much as learning all rows: it may take this share of the time. */
const CERTIFICATE_SHARE = 0.05;

/** The longest wait before the next try to connect. */
const LONGEST_WAIT = 5000;

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** What is known of a model. Fields are replaced and never changed in place. */
export class Feed {
  link: Link = { state: "connecting" };
  description: Description | null = null;
  points: Point[] = [];
  mistakes: Mistake[] | null = null;
  weights: Weights | null = null;
  certificate: CertificateReply | null = null;
  certificateError: string | null = null;
  certifying = false;
  readonly pace = new Pace();

  private due: Record<string, number> = {};
  private shown: Record<string, number> = {};
  private readonly stopped = new AbortController();

  constructor(
    readonly name: string,
    private readonly changed: () => void,
  ) {
    void this.follow();
    void this.refresh();
  }

  stop(): void {
    this.stopped.abort();
  }

  private get over(): boolean {
    return this.stopped.signal.aborted;
  }

  private get<T>(part: string): Promise<T> {
    return call<T>("GET", pathOf(this.name) + part, undefined, this.stopped.signal);
  }

  /** Connects, and connects again whenever the connection ends. */
  private async follow(): Promise<void> {
    let wait = 250;
    while (!this.over) {
      let why = "the server has closed the connection";
      try {
        await readEvents(
          `${pathOf(this.name)}/events`,
          this.stopped.signal,
          () => {
            wait = 250;
            void this.start();
          },
          (event) => {
            if (event.name === "model") this.hear(JSON.parse(event.data) as Standing);
          },
        );
      } catch (error) {
        if (error instanceof ApiError) why = said(error);
        // a model that is not there, or a token without the scope, is no matter of milliseconds
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) wait = LONGEST_WAIT;
      }
      if (this.over) return;
      this.link = { state: "lost", why };
      this.pace.forget();
      this.changed();
      await sleep(wait, this.stopped.signal);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    }
  }

  /** After every connection: the server may have been started again since. */
  private async start(): Promise<void> {
    this.due = {};
    this.shown = {};
    try {
      this.description = await this.get<Description>("");
      await this.readHistory();
      this.link = { state: "live" };
    } catch (error) {
      if (!this.over) this.link = { state: "lost", why: said(error) };
    }
    if (!this.over) this.changed();
  }

  private async readHistory(): Promise<void> {
    const { points } = await this.get<{ points: Point[] }>("/history");
    const last = points.at(-1)?.seq ?? 0;
    // before the first row there is no share of mistakes; what events said meanwhile stays
    this.points = [...points.filter((point) => point.seq > 0), ...this.points.filter((point) => point.seq > last)];
  }

  private hear(standing: Standing): void {
    this.pace.add(standing.seq);
    if (this.description !== null) this.description = { ...this.description, ...standing };
    const { seq, mistakes, validation, window } = standing;
    const last = this.points.at(-1);
    // the history is read again, and has fewer points, once somebody looks
    if (seq > (last?.seq ?? 0) && !document.hidden) {
      const point = { seq, mistakes, errors: validation?.errors ?? mistakes, window_mistakes: window.mistakes };
      this.points = [...this.points, point];
    }
    this.changed();
  }

  /** Asks for what has changed, each kind at its own pace, while somebody looks. */
  private async refresh(): Promise<void> {
    while (!this.over) {
      if (this.link.state === "live" && !document.hidden && this.description !== null) {
        const { seq, mistakes } = this.description;
        await Promise.all([
          this.read("description", DESCRIPTION, -1, async () => {
            const description = await this.get<Description>("");
            if (description.seq >= (this.description?.seq ?? 0)) this.description = description;
          }),
          this.read("history", HISTORY, seq, () => this.readHistory()),
          this.read("mistakes", MISTAKES, mistakes, async () => {
            this.mistakes = (await this.get<{ mistakes: Mistake[] }>("/mistakes")).mistakes;
          }),
          this.read("weights", WEIGHTS, seq, async () => {
            this.weights = await this.get<Weights>("/weights?top=20");
          }),
        ]);
        if (seq > 0) void this.certifyWhenDue(seq);
      }
      await sleep(500, this.stopped.signal);
    }
  }

  /** Reads a part if it is due and what it depends on has changed; -1 always counts as changed. */
  private async read(what: string, every: number, version: number, read: () => Promise<void>): Promise<void> {
    const now = Date.now();
    if (now < (this.due[what] ?? 0) || (version >= 0 && this.shown[what] === version)) return;
    this.due[what] = now + every;
    try {
      await read();
      this.shown[what] = version;
      if (!this.over) this.changed();
    } catch {
      // the events say whether the server is there; the part is asked for again
    }
  }

  private async certifyWhenDue(seq: number): Promise<void> {
    const certified = this.certificate?.seq ?? 0;
    const grown = seq !== certified && (seq >= 1.05 * certified || !this.pace.isMoving());
    if (this.certifying || !grown || Date.now() < (this.due.certificate ?? 0)) return;
    await this.certify("quick");
  }

  /** Asks for a certificate: `quick`, or `full` for a longer search for a small bound. */
  async certify(effort: "quick" | "full"): Promise<void> {
    if (this.certifying) return;
    this.certifying = true;
    this.changed();
    const begun = Date.now();
    try {
      this.certificate = await this.get<CertificateReply>(`/certificate?effort=${effort}`);
      this.certificateError = null;
    } catch (error) {
      if (!this.over) this.certificateError = said(error);
    }
    const took = Date.now() - begun;
    this.due.certificate = Date.now() + Math.max(CERTIFICATE, took / CERTIFICATE_SHARE);
    this.certifying = false;
    if (!this.over) this.changed();
  }
}
