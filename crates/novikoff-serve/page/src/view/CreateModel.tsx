import { useState } from "preact/hooks";
import { type ModelOptions, call, said } from "../api";
import { routeTo } from "../route";
import { Field } from "./Field";
import { Notice } from "./Notice";

type Task = "first" | "labels" | "positive" | "multilabel";

/** A form for a new model; the server needs the admin scope for it. */
export function CreateModel() {
  const [name, setName] = useState("");
  const [spec, setSpec] = useState("");
  const [task, setTask] = useState<Task>("first");
  const [labels, setLabels] = useState("");
  const [positive, setPositive] = useState("");
  const [bias, setBias] = useState("1");
  const [kernel, setKernel] = useState("");
  const [normalize, setNormalize] = useState("");
  const [problem, setProblem] = useState<string | null>(null);

  const options = (): ModelOptions => {
    const options: ModelOptions = {};
    if (kernel.trim() !== "") options.kernel = kernel.trim();
    if (normalize.trim() !== "") options.normalize = normalize.trim();
    if (bias.trim() !== "") {
      options.bias = Number(bias);
      if (!Number.isFinite(options.bias)) throw new Error(`the constant feature must be a number, got ${bias}; leave it empty for none`);
    }
    if (task === "labels") {
      const [a, b, ...more] = labels.split(",").map((label) => label.trim());
      if (!a || !b || more.length > 0) throw new Error("two labels are needed, separated by a comma, as in ham, spam");
      options.labels = [a, b];
    }
    if (task === "positive") {
      if (positive.trim() === "") throw new Error("the label that is set against the others is missing");
      options.positive = positive.trim();
    }
    if (task === "multilabel") options.multilabel = true;
    return options;
  };
  const create = async (): Promise<void> => {
    setProblem(null);
    try {
      const body = { name: name.trim(), ...(spec.trim() === "" ? {} : { spec: spec.trim() }), options: options() };
      await call("POST", "/v1/models", body);
      location.hash = routeTo({ at: "model", name: body.name });
    } catch (error) {
      setProblem(said(error));
    }
  };
  return (
    <>
      <h1>New model</h1>
      <form
        class="create"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field id="name" label="Name" value={name} set={setName} note="Letters, digits, _ and -; at most 64." required />
        <Field id="spec" label="Learner" value={spec} set={setSpec} note="Empty: auto, several learners at once. One of them, as in the command: arow, averaged, second-order:a=1." />
        <label for="task">Labels</label>
        <select id="task" value={task} onChange={(event) => setTask(event.currentTarget.value as Task)}>
          <option value="first">the first row decides: -1 and +1, or one problem per label</option>
          <option value="labels">two labels</option>
          <option value="positive">one label against all others</option>
          <option value="multilabel">any number of labels per row</option>
        </select>
        {task === "labels" && <Field id="labels" label="The two labels" value={labels} set={setLabels} note="Separated by a comma: ham, spam." />}
        {task === "positive" && <Field id="positive" label="The label" value={positive} set={setPositive} note="All others are the negative class." />}
        <Field id="bias" label="Constant feature" value={bias} set={setBias} note="Empty: none. The learners of auto have one of their own." />
        <Field id="kernel" label="Kernel" value={kernel} set={setKernel} note="Empty: linear. Others: poly:degree=3, gaussian:gamma=1." />
        <Field id="normalize" label="Rows are divided by their norm" value={normalize} set={setNormalize} note="off, 1, 2, another number, or inf. Empty: what the learner wants." />
        <div class="buttons">
          <button type="submit">Create</button>
        </div>
      </form>
      <Notice text={problem} />
    </>
  );
}
