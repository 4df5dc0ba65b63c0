/** Something that went wrong. */
export function Notice({ text }: { text: string | null }) {
  return (
    <div role="alert" class={text === null ? "" : "notice"}>
      {text}
    </div>
  );
}
