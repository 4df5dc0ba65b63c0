interface Props {
  id: string;
  label: string;
  value: string;
  set: (value: string) => void;
  note: string;
  required?: boolean;
}

/** A field of a form, with what may be typed. */
export function Field({ id, label, value, set, note, required }: Props) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-note`}
        required={required === true}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <p id={`${id}-note`} class="note">
        {note}
      </p>
    </>
  );
}
