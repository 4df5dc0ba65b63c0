//! What all partitions share in a round: one vector per class, and its free bias.

use novikoff::dual::local::FreeBias;

use super::bytes::{Reader, Writer};
use crate::Error;

/// The shared vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// By class, by slot.
    pub vectors: Vec<Vec<f64>>,
    /// By class; none without a free bias.
    pub bias: Vec<FreeBias>,
}

impl Point {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.vectors.len());
        out.count(self.bias.len());
        for vector in &self.vectors {
            out.vector(vector);
        }
        for bias in &self.bias {
            out.number(bias.multiplier);
            out.number(bias.rho);
            out.number(bias.v);
        }
        out.0
    }

    /// Of such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new("a shared vector", bytes);
        let (classes, biases) = (from.count(16)?, from.count(24)?);
        let mut vectors = Vec::with_capacity(classes);
        for _ in 0..classes {
            let mut vector = Vec::new();
            from.add_vector(&mut vector)?;
            vectors.push(vector);
        }
        let mut bias = Vec::with_capacity(biases);
        for _ in 0..biases {
            bias.push(FreeBias {
                multiplier: from.number()?,
                rho: from.number()?,
                v: from.number()?,
            });
        }
        from.end()?;
        Ok(Point { vectors, bias })
    }

    /// The bias of each class; 0 without a free one.
    pub fn intercepts(&self) -> Vec<f64> {
        let of = |class: usize| self.bias.get(class).map_or(0.0, FreeBias::b);
        (0..self.vectors.len()).map(of).collect()
    }

    /// The point with the vectors and biases of the classes that are said from another one.
    #[must_use]
    pub fn with_classes(&self, from: &Point, classes: &[bool]) -> Point {
        let mut next = self.clone();
        for (class, _) in classes.iter().enumerate().filter(|(_, takes)| **takes) {
            if let (Some(own), Some(other)) = (next.vectors.get_mut(class), from.vectors.get(class))
            {
                own.clone_from(other);
            }
            if let (Some(own), Some(other)) = (next.bias.get_mut(class), from.bias.get(class)) {
                *own = *other;
            }
        }
        next
    }
}
