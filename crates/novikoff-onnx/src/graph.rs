//! A graph while it is built: nodes, tensors that are stored, inputs and outputs.

use novikoff::remedy::{Complaint, Remedy};

use crate::messages::{
    AttributeProto, DimensionProto, GraphProto, NodeProto, TensorProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto, element, kind,
};

/// A protobuf message has fewer bytes than 2^31; what is left over is for everything that is not a tensor.
const MOST_BYTES: u128 = (1 << 31) - (1 << 24);

/// The domain of the operators of machine learning.
pub(crate) const ML_DOMAIN: &str = "ai.onnx.ml";

/// The type of the numbers that a graph computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Float32,
    Float64,
}

impl Number {
    pub(crate) fn code(self) -> i32 {
        match self {
            Number::Float32 => element::FLOAT,
            Number::Float64 => element::DOUBLE,
        }
    }

    fn bytes(self) -> u128 {
        match self {
            Number::Float32 => 4,
            Number::Float64 => 8,
        }
    }
}

/// What a node gives, an input or a stored tensor: its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value(String);

/// The graph.
pub(crate) struct Graph {
    built: GraphProto,
    /// Numbers that are not stored otherwise.
    number: Number,
    /// Bytes of the tensors so far.
    bytes: u128,
    uses_ml: bool,
}

impl Graph {
    pub(crate) fn new(number: Number) -> Self {
        Graph {
            built: GraphProto {
                name: "novikoff".to_owned(),
                ..GraphProto::default()
            },
            number,
            bytes: 0,
            uses_ml: false,
        }
    }

    /// The type of its numbers.
    pub(crate) fn number(&self) -> Number {
        self.number
    }

    /// From now on it computes with other numbers.
    pub(crate) fn go_on_with(&mut self, number: Number) {
        self.number = number;
    }

    /// Whether a node is of the domain of machine learning.
    pub(crate) fn uses_ml(&self) -> bool {
        self.uses_ml
    }

    /// Says so if the file would be too large with that many bytes more.
    pub(crate) fn check_room(&self, bytes: u128) -> Result<(), Complaint> {
        let all = self.bytes.saturating_add(bytes);
        if all <= MOST_BYTES {
            return Ok(());
        }
        let what = format!(
            "the file would take {} MB or more, and an ONNX file has at most 2 GB",
            all >> 20
        );
        let remedy = Remedy::clause("train with fewer features").or("keep fewer rows");
        Err(Complaint::new(what, remedy))
    }

    /// Takes that many bytes.
    pub(crate) fn reserve(&mut self, bytes: u128) -> Result<(), Complaint> {
        self.check_room(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// The matrix that the graph is given: any number of rows, and the given number of columns.
    pub(crate) fn input(&mut self, name: &str, number: Number, columns: usize) -> Value {
        let info = tensor(name, number.code(), Some(columns));
        self.built.input.push(info);
        Value(name.to_owned())
    }

    /// Gives a value out under a name: one number or text per row, or the given number of columns.
    pub(crate) fn output(&mut self, name: &str, value: &Value, code: i32, columns: Option<usize>) {
        self.built.node.push(NodeProto {
            input: vec![value.0.clone()],
            output: vec![name.to_owned()],
            name: format!("out_{name}"),
            op_type: "Identity".to_owned(),
            ..NodeProto::default()
        });
        self.built.output.push(tensor(name, code, columns));
    }

    /// A node of core operators.
    pub(crate) fn node<const N: usize>(&mut self, op: &str, inputs: [&Value; N]) -> Value {
        self.node_with(op, inputs, Vec::new())
    }

    /// A node of core operators with attributes.
    pub(crate) fn node_with<const N: usize>(
        &mut self,
        op: &str,
        inputs: [&Value; N],
        attribute: Vec<AttributeProto>,
    ) -> Value {
        self.push(op, "", &inputs, attribute)
    }

    /// A node of the domain of machine learning.
    pub(crate) fn ml_node(
        &mut self,
        op: &str,
        input: &Value,
        attribute: Vec<AttributeProto>,
    ) -> Value {
        self.uses_ml = true;
        self.push(op, ML_DOMAIN, &[input], attribute)
    }

    /// Columns side by side.
    pub(crate) fn side_by_side(&mut self, parts: &[Value]) -> Value {
        match parts {
            [one] => one.clone(),
            parts => {
                let parts: Vec<&Value> = parts.iter().collect();
                self.push("Concat", "", &parts, vec![int("axis", 1)])
            }
        }
    }

    fn push(
        &mut self,
        op: &str,
        domain: &str,
        inputs: &[&Value],
        attribute: Vec<AttributeProto>,
    ) -> Value {
        let name = format!("{}_{}", op.to_lowercase(), self.built.node.len());
        self.built.node.push(NodeProto {
            input: inputs.iter().map(|value| value.0.clone()).collect(),
            output: vec![name.clone()],
            name: name.clone(),
            op_type: op.to_owned(),
            attribute,
            domain: domain.to_owned(),
        });
        Value(name)
    }

    /// Another type of numbers.
    pub(crate) fn cast(&mut self, value: &Value, code: i32) -> Value {
        self.node_with("Cast", [value], vec![int("to", i64::from(code))])
    }

    /// Sums over the columns; one column is left.
    pub(crate) fn row_sums(&mut self, value: &Value) -> Result<Value, Complaint> {
        let axis = self.ints("axis", &[1], &[1])?;
        Ok(self.node("ReduceSum", [value, &axis]))
    }

    /// `a >= b`, element by element, chooses.
    pub(crate) fn choose(&mut self, is: &Value, yes: &Value, no: &Value) -> Value {
        self.node("Where", [is, yes, no])
    }

    /// One number.
    pub(crate) fn scalar(&mut self, number: f64) -> Result<Value, Complaint> {
        self.numbers("number", &[], [number])
    }

    /// Stored numbers of the graph's own type, in the order of rows.
    pub(crate) fn numbers(
        &mut self,
        name: &str,
        dims: &[usize],
        numbers: impl IntoIterator<Item = f64>,
    ) -> Result<Value, Complaint> {
        let number = self.number;
        self.reserve(number.bytes() * count(dims))?;
        let mut raw = Vec::new();
        for value in numbers {
            match number {
                Number::Float32 => raw.extend((value as f32).to_le_bytes()),
                Number::Float64 => raw.extend(value.to_le_bytes()),
            }
        }
        debug_assert_eq!(raw.len() as u128, number.bytes() * count(dims));
        Ok(self.store(name, dims, number.code(), raw))
    }

    /// Stored f32, as numbers of the graph's own type.
    pub(crate) fn singles(
        &mut self,
        name: &str,
        dims: &[usize],
        singles: &[f32],
    ) -> Result<Value, Complaint> {
        self.reserve(4 * count(dims))?;
        debug_assert_eq!(singles.len() as u128, count(dims));
        let raw = singles.iter().flat_map(|v| v.to_le_bytes()).collect();
        let stored = self.store(name, dims, element::FLOAT, raw);
        Ok(match self.number {
            Number::Float32 => stored,
            Number::Float64 => self.cast(&stored, element::DOUBLE),
        })
    }

    /// Stored whole numbers.
    pub(crate) fn ints(
        &mut self,
        name: &str,
        dims: &[usize],
        ints: &[i64],
    ) -> Result<Value, Complaint> {
        self.reserve(8 * count(dims))?;
        let raw = ints.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(self.store(name, dims, element::INT64, raw))
    }

    /// Stored texts.
    pub(crate) fn texts(&mut self, name: &str, texts: &[&str]) -> Result<Value, Complaint> {
        self.reserve(texts.iter().map(|text| text.len() as u128 + 10).sum())?;
        let name = format!("{name}_{}", self.built.initializer.len());
        self.built.initializer.push(TensorProto {
            dims: vec![texts.len() as i64],
            data_type: element::STRING,
            string_data: texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
            name: name.clone(),
            raw_data: None,
        });
        Ok(Value(name))
    }

    fn store(&mut self, name: &str, dims: &[usize], data_type: i32, raw: Vec<u8>) -> Value {
        let name = format!("{name}_{}", self.built.initializer.len());
        self.built.initializer.push(TensorProto {
            dims: dims.iter().map(|&d| d as i64).collect(),
            data_type,
            string_data: Vec::new(),
            name: name.clone(),
            raw_data: Some(raw),
        });
        Value(name)
    }

    pub(crate) fn finish(self) -> GraphProto {
        self.built
    }
}

fn count(dims: &[usize]) -> u128 {
    dims.iter().map(|&d| d as u128).product()
}

/// Rows of one element, or of the given number of columns.
fn tensor(name: &str, elem_type: i32, columns: Option<usize>) -> ValueInfoProto {
    let rows = DimensionProto {
        dim_value: None,
        dim_param: Some("rows".to_owned()),
    };
    let columns = columns.map(|columns| DimensionProto {
        dim_value: Some(columns as i64),
        dim_param: None,
    });
    let shape = TensorShapeProto {
        dim: [rows].into_iter().chain(columns).collect(),
    };
    ValueInfoProto {
        name: name.to_owned(),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type,
                shape: Some(shape),
            }),
        }),
    }
}

/// An attribute that is a whole number.
pub(crate) fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto {
        i: Some(i),
        ..attribute(name, kind::INT)
    }
}

/// An attribute that is a word.
pub(crate) fn word(name: &str, word: &str) -> AttributeProto {
    AttributeProto {
        s: Some(word.as_bytes().to_vec()),
        ..attribute(name, kind::STRING)
    }
}

/// An attribute of numbers, which ONNX keeps as f32.
pub(crate) fn floats(name: &str, floats: impl IntoIterator<Item = f64>) -> AttributeProto {
    AttributeProto {
        floats: floats.into_iter().map(|v| v as f32).collect(),
        ..attribute(name, kind::FLOATS)
    }
}

/// An attribute of whole numbers.
pub(crate) fn ints(name: &str, ints: Vec<i64>) -> AttributeProto {
    AttributeProto {
        ints,
        ..attribute(name, kind::INTS)
    }
}

fn attribute(name: &str, r#type: i32) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        r#type,
        ..AttributeProto::default()
    }
}
