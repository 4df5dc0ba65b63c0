// The bodies of the service, as in `crates/novikoff-serve/src/api.rs`, and requests.

import { token } from "./token";

export interface ModelOptions {
  kernel?: string;
  bias?: number;
  normalize?: string;
  labels?: [string, string];
  positive?: string;
  multilabel?: boolean;
  use?: string;
}

export interface Validation {
  rows: number;
  errors: number;
  error: number | null;
}

export interface Window {
  rows: number;
  mistakes: number;
}

/** What an event has. */
export interface Standing {
  seq: number;
  rows: number;
  mistakes: number;
  updates: number;
  validation: Validation | null;
  window: Window;
}

export interface Description extends Standing {
  name: string;
  spec: string;
  options: ModelOptions;
  features: number;
  classes: string[];
  probabilities: boolean;
  bytes: number;
  log: { sync: string; bytes: number; segments: number; first_seq: number; blocked: string | null };
  snapshot: { seq: number; bytes: number } | null;
}

export interface Point {
  seq: number;
  mistakes: number;
  errors: number;
  window_mistakes: number;
}

export interface Mistake {
  seq: number;
  label: string;
  predicted: string;
  features: Record<string, unknown>;
}

export interface ClassWeights {
  class: string;
  weights: { feature: string; weight: number }[];
}

/** A learner of a model that has several. */
export interface Expert {
  spec: string;
  mistakes: number;
  weight: number;
  retired: number | null;
  reason?: string;
}

export interface Weights {
  seq: number;
  experts?: Expert[];
  /** The learner whose weights these are. */
  expert?: string;
  classes: ClassWeights[];
}

export interface Certificate {
  theorem: string;
  name: string;
  counts?: string;
  mistakes: number;
  updates?: number;
  bound: number | null;
  holds: boolean | null;
  vacuous?: boolean;
  expected?: boolean;
  terms: Record<string, number | null>;
  /** Absent where the theorem compares with a learner, as that of a majority does. */
  comparator?: { norm: number | null; relative_gap?: number | null };
  /** The bound through the theorem of a learner of a majority, and that learner's certificate. */
  composed?: number | null;
  expert?: Certificate & { spec: string };
}

export interface CertificateReply {
  seq: number;
  mistakes: number;
  certificate: Certificate | null;
  reason?: string;
  /** The bound over the run, against the comparator of this certificate. */
  curve: { seq: number; bound: number }[];
  /** This and earlier certificates since the server was started, by rows. */
  history: { seq: number; mistakes: number; bound: number }[];
}

export interface Prediction {
  id: string | null;
  label: string | null;
  margin: number;
  probability?: number;
  margins?: Record<string, number>;
  probabilities?: Record<string, number>;
}

export interface Predicted {
  seq: number;
  predictions: Prediction[];
  unknown: number;
}

export interface Learned {
  seq: number;
  predictions?: { label: string; mistake: boolean }[];
  repeated?: boolean;
  sync: string;
}

/** A reply that is an error, or no reply (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** The error of a reply: the `detail` of problem+json where there is one. */
async function errorOf(reply: Response): Promise<ApiError> {
  let detail = `the server answered ${reply.status} ${reply.statusText}`.trim();
  try {
    const problem = (await reply.json()) as { title?: string; detail?: string; row?: number };
    detail = problem.detail || problem.title || detail;
  } catch {
    // not JSON: the status has to do
  }
  return new ApiError(reply.status, detail);
}

/** A request with the token, if there is one. Throws ApiError. */
export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = new Headers();
  const bearer = token();
  if (bearer !== "") headers.set("Authorization", `Bearer ${bearer}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  let reply: Response;
  try {
    reply = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "the server does not answer");
  }
  if (!reply.ok) throw await errorOf(reply);
  return reply;
}

/** A request whose reply is JSON. */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const reply = await send(method, path, body, signal);
  return (await reply.json()) as T;
}

/** The path of a model. */
export const pathOf = (name: string): string => `/v1/models/${encodeURIComponent(name)}`;

/** What an error says to a person. */
export function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
    return `${text} (${error.status}: the access token is set at the top of the page)`;
  }
  return text;
}
