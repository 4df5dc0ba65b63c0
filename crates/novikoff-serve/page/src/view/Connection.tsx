import type { Link } from "../feed";

/** Whether the server is heard. */
export function Connection({ link }: { link: Link }) {
  const text =
    link.state === "live" ? "live" : link.state === "connecting" ? "connecting…" : `not live: ${link.why}; trying again`;
  return (
    <p role="status" class={`link ${link.state}`}>
      {text}
    </p>
  );
}
