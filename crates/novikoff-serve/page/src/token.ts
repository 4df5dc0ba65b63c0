// The bearer token: kept by this tab until it is closed, sent to this server and to nobody else.

const KEY = "novikoff-token";
const listeners = new Set<() => void>();

export const token = (): string => sessionStorage.getItem(KEY) ?? "";

export function setToken(value: string): void {
  if (value === "") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, value);
  for (const listener of listeners) listener();
}

/** Calls back when the token changes; returns what ends that. */
export function onToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
