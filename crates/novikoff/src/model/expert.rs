//! One expert of a model that has several, as a model of its own.

use std::sync::Arc;

use super::{Model, ModelParts, Totals};
use crate::classes::{Classes, Counts};
use crate::grammar::OffOr;
use crate::kernel::Kernel;
use crate::learner::ExpertFacts;
use crate::preparation::Preparation;
use crate::schema::Schema;
use crate::spec::{Spec, SpecError};

/// An expert, as it would be alone.
struct Alone {
    spec: Spec,
    kernel: Kernel,
    schema: Arc<Schema>,
}

impl Model {
    /// An expert as it would be alone; none where its rows are divided by a norm behind a map, which no model of one learner does.
    fn alone(&self, facts: &ExpertFacts) -> Result<Option<Alone>, SpecError> {
        let spec = Spec::parse(&facts.spec)?;
        let said = spec.preparation();
        let normalize = said.and_then(|said| said.normalize);
        let mut kernel = self.kernel;
        kernel.cosine |= kernel != Kernel::LINEAR && normalize.is_none() && spec.norm().is_some();
        let own = match normalize {
            Some(normalize) => normalize.value(),
            None => spec.norm().filter(|_| kernel == Kernel::LINEAR),
        };
        let shared = self.preparation();
        if shared.map.is_some() && own.is_some() {
            return Ok(None);
        }
        let preparation = Preparation {
            bias: said.and_then(|said| said.bias).and_then(OffOr::value),
            normalize: own.or(shared.normalize),
            ..shared.clone()
        };
        let mut schema = Arc::clone(&self.schema);
        if *shared != preparation {
            Arc::make_mut(&mut schema).preparation = preparation;
        }
        Ok(Some(Alone {
            spec,
            kernel,
            schema,
        }))
    }

    /// The expert that runs and has made the fewest mistakes, as a model of its own that goes on where it stands. None of a model that has
    /// no experts, or whose best expert no model can be.
    pub fn best_expert(&self) -> Option<Model> {
        let panel = self.learner.panel()?;
        let running = panel.experts.iter().enumerate();
        let running = running.filter(|(_, facts)| facts.retired.is_none());
        let (number, facts) = running.min_by_key(|(i, facts)| (facts.mistakes, *i))?;
        let Alone {
            spec,
            kernel,
            schema,
        } = self.alone(facts).ok()??;
        let parameters = spec.parameters(None).ok()?;
        let (learner, counts) = self.learner.expert(number)?;
        let counts = counts.iter().map(|counts| Counts {
            mistakes: counts.mistakes,
            updates: counts.updates,
        });
        let counts: Vec<Counts> = counts.collect();
        let classes = self.classes.counted(&counts);
        let updates = classes
            .list()
            .iter()
            .map(|class| class.counts.updates)
            .sum();
        let parts = ModelParts {
            spec,
            parameters,
            kernel,
            auto_gamma: self.auto_gamma,
            schema,
            learner,
            classes,
            totals: Totals {
                trials: self.totals.trials,
                mistakes: facts.mistakes,
                updates,
            },
            calibration: None,
            settled_earlier: 0,
            learned: self.learned.clone(),
        };
        Model::from_parts(parts).ok()
    }

    /// An expert as a model of its own that knows nothing yet and may take `memory` bytes; none as in [`best_expert`](Self::best_expert).
    #[doc(hidden)] // for certificates of experts
    pub fn fresh_expert(&self, facts: &ExpertFacts, memory: u128) -> Option<Model> {
        let Alone {
            spec,
            kernel,
            schema,
        } = self.alone(facts).ok()??;
        let preparation = schema.preparation.clone();
        let map = preparation.map.clone();
        let builder = Model::builder(spec)
            .kernel(kernel)
            .task(self.classes.task().clone());
        let fresh = Schema::prepared(Preparation {
            map: None,
            ..preparation
        });
        let mut model = builder.schema(fresh).memory(memory).build().ok()?;
        Arc::make_mut(&mut model.schema).preparation.map = map;
        Some(model)
    }
}

impl Classes {
    /// These classes with the counts of another learner: of one lane, or of the background and the classes.
    fn counted(&self, counts: &[Counts]) -> Classes {
        let mut classes = self.clone();
        classes.pending = crate::classes::Pending::default();
        classes.earlier = crate::classes::Pending::default();
        let first = usize::from(!self.is_binary());
        if first == 1 {
            classes.background = counts.first().copied().unwrap_or_default();
        }
        for class in 0..self.list().len() {
            *classes.counts_mut(class) = counts.get(class + first).copied().unwrap_or_default();
        }
        classes
    }
}
