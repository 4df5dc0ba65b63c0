//! Second-order perceptron with a sketch of its matrix: frequent directions.
//!
//! Keeps at most 2m vectors B instead of the rows of all updates. When they are 2m, the m main directions
//! of `B'B` are kept, each shortened by the square of the next one's length, and half of that square is
//! added to a. While the updates are fewer than 2m this is the exact algorithm.
//! Update: with `A = (a + al) I + B'B`, `w = A^-1 v` and `r = (w.x)/(1 + x'A^-1 x)`; iff `sgn(r) != y`, or
//! `tau > 0` and `y r <= tau`: `v <- v + y x`, append x to B. If B is full then: with `B'B = sum lam_i q_i q_i'`,
//! `B = (sqrt(lam_i - lam_{m+1}) q_i', i <= m)`, `al <- al + lam_{m+1}/2`.
//! Cost: O(nnz) a right answer (O(m nnz + m^2) if tau > 0), O(m d + m^2) an update, and O(m^2 d + m^3) every
//! m updates; O(m d) memory.
//! Bound: none of its own; `0 <= XX' - B'B <= 2 al I`, so the nearer to the exact form's the smaller al is.
//! Paper: Ghashami, Liberty, Phillips, Woodruff 2016 (frequent directions); Luo, Chen, Zhang, Li, Zhang 2019
//! (the half, "robust"); the form of Cesa-Bianchi, Conconi, Gentile 2005, section 3; spec/online.md 4.1.

use super::{augmented, slots_of};
use crate::label::Label;
use crate::learner::{Rule, Seen};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::row::Row;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// The sketched form.
#[derive(Clone, Debug)]
pub struct SecondOrderSketch {
    /// The larger, the nearer to the perceptron; > 0.
    pub a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
    /// m: directions kept, at least 1.
    pub rank: usize,
}

/// One class.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    v: Vec<f64>,
    /// B; vectors are zero past their ends.
    vectors: Vec<Vec<f64>>,
    /// The Cholesky factor of `(a + al) I + BB'`, row by row.
    factor: Vec<f64>,
    /// al.
    lost: f64,
}

impl Sketch {
    /// What a row would add to the factor, and the Schur complement.
    fn look(&self, a: f64, x: Row<'_>) -> (Vec<f64>, f64) {
        let mut known: Vec<f64> = self.vectors.iter().map(|b| x.dot(b)).collect();
        let s = linalg::schur(&self.factor, &mut known, x.norm_sq(), a + self.lost);
        (known, s)
    }

    /// Keeps the main directions.
    fn shrink(&mut self, a: f64, rank: usize) {
        let row = |b: &Vec<f64>| self.vectors.iter().map(|c| linalg::dot(b, c)).collect();
        let pairs = linalg::eigen(self.vectors.iter().map(row).collect());
        let next = pairs.get(rank).map_or(0.0, |(value, _)| value.max(0.0));
        self.lost += next / 2.0;
        let mut kept = Vec::new();
        self.factor.clear();
        for (value, along) in pairs.into_iter().take(rank).filter(|(v, _)| *v > next) {
            let length = ((value - next) / value).sqrt();
            let mut vector = Vec::new();
            for (b, c) in self.vectors.iter().zip(&along) {
                grow(&mut vector, b.len(), 0.0);
                for (v, b) in vector.iter_mut().zip(b) {
                    *v += length * c * b;
                }
            }
            // the directions are orthogonal
            self.factor.resize(self.factor.len() + kept.len(), 0.0);
            self.factor.push((a + self.lost + (value - next)).sqrt());
            kept.push(vector);
        }
        self.vectors = kept;
    }

    /// Puts `w = (v - B'((a + al) I + BB')^-1 B v)/(a + al)` in its place.
    fn weigh(&self, a: f64, w: &mut Lane<'_, Primal>) {
        let mut part: Vec<f64> = self
            .vectors
            .iter()
            .map(|b| linalg::dot(b, &self.v))
            .collect();
        linalg::solve_lower(&self.factor, &mut part);
        linalg::solve_upper(&self.factor, &mut part);
        let mut rest = self.v.clone();
        for (b, part) in self.vectors.iter().zip(&part) {
            for (rest, b) in rest.iter_mut().zip(b) {
                *rest -= part * b;
            }
        }
        for (j, rest) in rest.into_iter().enumerate() {
            w.set(j, rest / (a + self.lost));
        }
    }
}

impl Rule<Primal> for SecondOrderSketch {
    type State = Sketch;

    fn start(&self, _planes: &Primal) -> Sketch {
        Sketch::default()
    }

    fn learn(&self, state: &mut Sketch, mut w: Lane<'_, Primal>, seen: Seen<'_>, y: Label) -> bool {
        let f = seen.margin;
        if self.margin == 0.0 && !wants_update(f, y, 0.0) {
            return false;
        }
        let (known, s) = state.look(self.a, seen.x);
        let r = augmented(f, (self.a + state.lost) / s);
        seen.answer.margin.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        seen.x.add_to(y.sign(), &mut state.v);
        let mut vector = vec![0.0; slots_of(seen.x)];
        seen.x.add_to(1.0, &mut vector);
        state.vectors.push(vector);
        state.factor.extend(known);
        state.factor.push(s.sqrt());
        if state.vectors.len() == 2 * self.rank {
            state.shrink(self.a, self.rank);
        }
        state.weigh(self.a, &mut w);
        true
    }

    fn reach(&self, state: &mut Sketch, slots: usize) {
        grow(&mut state.v, slots, 0.0);
    }

    fn state_bytes(&self, slots: usize) -> u128 {
        let vectors = 2 * self.rank as u128;
        // v and B; the factor; the products and their eigenvectors
        8 * ((vectors + 1) * slots as u128 + 3 * vectors * vectors)
    }

    fn remedy(&self) -> &'static str {
        "use a smaller rank or second-order:form=diagonal, or raise --max-memory"
    }

    fn save<'a>(&self, state: &'a Sketch, out: &mut State<'a>) {
        out.put_f64("v", &state.v[..]);
        out.put_f64("lost", vec![state.lost]);
        out.put_f64("factor", &state.factor[..]);
        let ends = state.vectors.iter().scan(0, |end, b| {
            *end += b.len() as u64;
            Some(*end)
        });
        out.put_u64("vector-ends", ends.collect::<Vec<_>>());
        out.put_f64("vectors", state.vectors.concat());
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Sketch, StateError> {
        let v = from.take_vector("v", planes.slots())?;
        let [lost] = from.take_scalars("lost")?;
        let vectors = super::take_vectors(from, ("vector-ends", "vectors"), planes.slots())?;
        let factor = from.take_vector("factor", linalg::triangle_len(vectors.len()) as usize)?;
        if vectors.len() >= 2 * self.rank {
            return Err(from.bad("vector-ends", "more vectors than the rank allows"));
        }
        Ok(Sketch {
            v,
            vectors,
            factor,
            lost,
        })
    }
}
