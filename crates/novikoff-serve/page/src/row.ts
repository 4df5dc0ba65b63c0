// A row as it is typed: JSON, or one `name=value` per line.

export type Features = Record<string, unknown> | unknown[];

/** The value of a feature: a number where it is one, else a category. */
function valueOf(text: string): number | string {
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
}

/** Reads features; throws an Error that says what is wrong. */
export function parseRow(text: string): Features {
  const trimmed = text.trim();
  if (trimmed === "") throw new Error("the row has no features; type one name=value per line, or JSON");
  if (trimmed.startsWith("{") || trimmed.startsWith("[")) {
    try {
      return JSON.parse(trimmed) as Features;
    } catch (error) {
      throw new Error(`the row is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // without a prototype, so that no name is taken
  const features = Object.create(null) as Record<string, unknown>;
  trimmed.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const [, name, value] = /^\s*(.+?)\s*[=\t]\s*(.*?)\s*$/.exec(line) ?? [];
    const feature = name ?? line.trim();
    if (feature in features) throw new Error(`line ${index + 1}: ${feature} is there twice; give it one value`);
    features[feature] = value === undefined ? 1 : valueOf(value);
  });
  return features;
}

/** An id for a request that is learned once. */
export function requestId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
