//! A fit, checked before a byte of data is read: what goes with what, and with the model to go on from.

use std::path::Path;
use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::model::Model;
use novikoff::quantity::plural;
use novikoff::remedy::Hint;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff::table::Table;
use novikoff_data::cache::beside;
use novikoff_data::model::Unfinished;

use super::{CheckedFit, Fit, Resumed};
use crate::certify::comparator::{ComparatorContext, ComparatorModel};
use crate::data::Data;
use crate::events::Context;
use crate::files::{check_writable, is_same_file, read_as_data};
use crate::options;
use crate::{Error, Remedy, Setting};

/// What messages call a model that comes from no file.
const IN_MEMORY: &str = "the model in memory";

#[allow(clippy::too_many_lines)] // a list: one check after the other
pub(super) fn check<'a>(
    fit: &'a Fit,
    from: Option<Model>,
    context: Context<'a>,
) -> Result<(CheckedFit<'a>, Option<Resumed>), Error> {
    let memory = fit.rows.memory;
    let resumed = resume(fit, from)?;
    let spec = match (&fit.spec, &resumed) {
        (Some(spec), _) => spec.clone(),
        (None, Some((model, _))) => model.spec().clone(),
        (None, None) => Spec::parse("auto")?,
    };
    if fit.run.repeats().is_some()
        && (fit.output.is_some() || resumed.is_some() || fit.trace.is_some())
    {
        return Err(Error::refused(
            "several orders or divisions of the rows repeat a run, so nothing of it is saved, resumed or traced",
            Remedy::leave_out(&[Setting::Output, Setting::Resume, Setting::Trace])
                .or(Remedy::give(Setting::Shuffle, "SEED").aim("for one order")),
        )
        .about(
            match fit.run.splits {
                None => Setting::Permutations,
                Some(_) => Setting::Splits,
            },
            "",
        ));
    }
    if resumed.is_some() && fit.certify.is_some() {
        return Err(Error::refused(
            "a certificate is about a whole run, and a resumed run goes on from the middle of one",
            Remedy::leave_out(&[Setting::Resume]).aim("to certify it from its beginning"),
        )
        .about(Setting::Certify, ""));
    }
    options::check_tests(&fit.run, fit.test.is_some(), fit.certify.is_some())?;
    let kept = [
        (fit.output.is_some(), Setting::Output),
        (resumed.is_some(), Setting::Resume),
        (fit.certify.is_some(), Setting::Certify),
    ];
    let kept = kept.into_iter().find(|(is_given, _)| *is_given);
    options::check_tie(&fit.run, &spec, kept.map(|(_, setting)| setting))?;
    check_outputs(fit, resumed.as_ref())?;
    let preparation = resumed.as_ref().map_or_else(
        || fit.run.for_learner(&fit.run.preparation(), &spec),
        |(model, _)| model.preparation().clone(),
    );
    check_class_weight(fit, &spec, resumed.as_ref().map(|(model, _)| model))?;
    let typed_kernel = fit.run.kernel_for(&spec);
    let kernel = typed_kernel.value();
    options::check_map(fit.run.map, typed_kernel)?;
    check_map_certificate(fit, preparation.map.is_some())?;
    check_experts_certificate(fit, &spec)?;
    let parameters = spec.parameters(Some(2))?;
    let fresh = options::unseeing_learner(&spec, &parameters, typed_kernel)?;
    let by = match &resumed {
        Some((model, _)) => options::hypothesis(fit.run.by, model)?,
        None => options::hypothesis_of(fit.run.by, &spec, typed_kernel)?,
    };
    let mut reading = match &resumed {
        Some((model, run)) => {
            let schema = as_it_began(Arc::clone(model.schema()), run.as_ref());
            fit.rows.reading_as(schema, context)
        }
        None => fit.rows.reading(preparation.bias, context),
    };
    reading.options.centred = match &resumed {
        Some((model, _)) => fills_with_means(model.table()),
        None => fit.run.standardize,
    };
    if let Some((model, Some(run))) = &resumed {
        fit.data.check(&reading)?;
        check_unfinished(run, fit, model.classes().task())?;
    }
    let inputs = fit.data.inputs();
    let data = if fit.run.cache {
        let fresh = fit.rows.names();
        fit.data.clone().cached(&mut reading, fresh, context)?
    } else {
        fit.data.clone()
    };
    data.measure(&mut reading)?;
    if let Some(test) = &fit.test {
        test.check(&reading)?;
        if test.is_stream() && data.is_stream() {
            return Err(options::stream_twice());
        }
    }
    let survey_pending = match &resumed {
        Some((model, _)) => model.learner().surveys(),
        None => fresh.surveys(),
    };
    if data.is_stream() && survey_pending {
        return Err(options::needs_files(spec.name()));
    }
    if data.is_stream() && fit.run.standardize && resumed.is_none() {
        return Err(options::standardize_needs_files());
    }
    let names = &reading.schema.names;
    let place = ComparatorContext::before(kernel, preparation.bias, &spec, &parameters, names);
    // what a kernel is whose gamma is auto is known when the rows are
    let place = (!typed_kernel.needs_rows()).then_some(place);
    let comparator = comparator(fit, place)?;
    let run = CheckedFit {
        fit,
        data,
        inputs,
        reading,
        preparation,
        memory,
        by,
        spec,
        surveys: fresh.surveys(),
        is_ordered: false,
        comparator,
        context,
    };
    Ok((run, resumed))
}

/// Vectors of certificates are not written to files, nor read from them, behind a map.
fn check_map_certificate(fit: &Fit, resumes_map: bool) -> Result<(), Error> {
    let has_map = resumes_map || fit.run.map.is_some();
    if let (true, Some(certify)) = (has_map, &fit.certify)
        && (certify.comparator.is_some() || certify.save.is_some())
    {
        return Err(Error::refused(
            "the vector of a certificate is one of the features that the map makes, and those of a model file are features of its data",
            Remedy::leave_out(&[Setting::Map]),
        )
        .about(Setting::Map, ""));
    }
    Ok(())
}

/// A majority is compared with its experts, and not with a vector.
fn check_experts_certificate(fit: &Fit, spec: &Spec) -> Result<(), Error> {
    let Some(certify) = fit.certify.as_ref().filter(|_| !spec.parts().is_empty()) else {
        return Ok(());
    };
    if certify.comparator.is_none() && certify.save.is_none() {
        return Ok(());
    }
    let what = format!(
        "{} is compared with its experts, and not with one vector",
        spec.name()
    );
    Err(Error::refused(what, "certify one of the experts by itself"))
}

/// The vector that the run is to be compared with, if one is given.
fn comparator(
    fit: &Fit,
    place: Option<ComparatorContext<'_>>,
) -> Result<Option<ComparatorModel>, Error> {
    let given = fit.certify.as_ref().and_then(|c| c.comparator.as_deref());
    let Some(path) = given else {
        return Ok(None);
    };
    let comparator = ComparatorModel::load(path, fit.rows.memory)?;
    if let Some(place) = place {
        let fits = comparator.fits(place).map_err(Error::from);
        fits.map_err(|error| error.about(Setting::Comparator, comparator.file()))?;
    }
    Ok(Some(comparator))
}

/// Whether means stand for missing cells of a table: models of before have indicators without them.
fn fills_with_means(table: Option<&Table>) -> bool {
    let mut columns = table.iter().flat_map(|table| &table.columns);
    columns.any(|column| column.mean.is_some())
}

/// The schema that the rows of a run are read with when it goes on: as it was when the run began.
fn as_it_began(mut schema: Arc<Schema>, run: Option<&Unfinished>) -> Arc<Schema> {
    let Some(run) = run else { return schema };
    if run.began_without_model() && schema.table.is_some() {
        Arc::make_mut(&mut schema).table = None;
    }
    if !Arc::ptr_eq(&schema.text, &run.text) {
        // words are counted from where it began
        Arc::make_mut(&mut schema).text = Arc::clone(&run.text);
    }
    schema
}

/// The learner has a weighted form and its rows can be counted, or the model that goes on has the weights that are asked for.
fn check_class_weight(fit: &Fit, spec: &Spec, resumed: Option<&Model>) -> Result<(), Error> {
    let weights = &fit.run.class_weight;
    if let Some(model) = resumed {
        return weights.check_model(model, fit.resume.as_deref());
    }
    weights.check(&fit.data, fit.run.task.as_ref())?;
    weights.check_learner(spec)
}

/// What is written must not be what is read, or kept, or finished.
fn check_outputs(fit: &Fit, resumed: Option<&Resumed>) -> Result<(), Error> {
    if let (Some((_, None)), Some(from), Some(to), Some(_)) =
        (resumed, &fit.resume, &fit.output, &fit.checkpoint)
        && is_same_file(from, to)
    {
        let what = format!(
            "{}: holds a finished run, so there is nothing to go on with",
            from.display()
        );
        let more = Remedy::leave_out(&[Setting::Checkpoint]).aim("to learn more rows from it");
        let elsewhere = Remedy::give(Setting::Output, "FILE").aim("to write to another file");
        return Err(Error::refused(what, more.or(elsewhere)));
    }
    let saved = fit.certify.as_ref().and_then(|c| c.save.as_ref());
    let written = || {
        let written = [fit.output.as_ref(), fit.trace.as_ref(), saved];
        written.into_iter().flatten()
    };
    for path in written() {
        check_writable(path)?;
        if fit.data.reads(path) || fit.test.as_ref().is_some_and(|test| test.reads(path)) {
            return Err(read_as_data(path));
        }
    }
    if let (true, Data::Files(paths)) = (fit.run.cache, &fit.data) {
        let cache = beside(paths);
        if written().any(|path| is_same_file(path, &cache)) {
            return Err(where_the_cache_is(&cache));
        }
    }
    if fit.output.is_some() && fit.output == fit.trace {
        return Err(Error::refused(
            "the model and the trace name the same file",
            "give two names",
        ));
    }
    if saved.is_some() && [fit.output.as_ref(), fit.trace.as_ref()].contains(&saved) {
        return Err(Error::refused(
            "the comparator names the same file as the model or the trace",
            "give two names",
        ));
    }
    Ok(())
}

/// A file cannot be where the copy of the data is kept.
fn where_the_cache_is(cache: &Path) -> Error {
    let what = format!(
        "{}: is where the cache keeps its copy of the data",
        cache.display()
    );
    let without = Remedy::leave_out(&[Setting::Cache]);
    Error::refused(what, Remedy::clause("give another name").or(without))
}

fn differs<T>(model: Option<&Path>, setting: Setting, is: String, got: String) -> Result<T, Error> {
    Err(Error::Differs {
        model: model.map(Path::to_owned),
        setting,
        is,
        got,
    })
}

/// What was asked for must be what the run that goes on was begun with.
fn check_unfinished(run: &Unfinished, fit: &Fit, task: &Task) -> Result<(), Error> {
    let word = |value: Option<u64>| value.map_or("off".to_owned(), |v| v.to_string());
    if let Some(epochs) = fit.run.epochs
        && epochs != run.epochs
    {
        return differs(
            None,
            Setting::Epochs,
            run.epochs.to_string(),
            epochs.to_string(),
        );
    }
    if fit.run.until_separated && !run.until_separated {
        let [is, got] = ["off", "on"].map(str::to_owned);
        return differs(None, Setting::UntilSeparated, is, got);
    }
    if fit.run.shuffle.is_some() && fit.run.shuffle != run.shuffle {
        return differs(
            None,
            Setting::Shuffle,
            word(run.shuffle),
            word(fit.run.shuffle),
        );
    }
    if let (Some(asked), Some(counted)) = (fit.run.by, run.ledger.validation)
        && asked != counted.by
    {
        let [is, got] = [counted.by, asked].map(|by| by.name().to_owned());
        return differs(None, Setting::Use, is, got);
    }
    if let Some(asked) = &fit.run.task
        && !same_task(asked, task)
    {
        return differs(None, Setting::Labels, in_words(task), in_words(asked));
    }
    let reading = fit.rows.text();
    if reading != run.reading {
        let none = |words: &str| {
            if words.is_empty() {
                "no options for its rows".to_owned()
            } else {
                words.to_owned()
            }
        };
        return differs(None, Setting::Rows, none(&run.reading), none(&reading));
    }
    let inputs = fit.data.inputs();
    if inputs.len() != run.inputs.len() {
        let [is, got] = [run.inputs.len(), inputs.len()].map(|n| plural(n as u64, "input"));
        return differs(None, Setting::Data, is, got);
    }
    for ((name, size), (was, old)) in inputs.iter().zip(&run.inputs) {
        if size != old {
            let bytes =
                |size: &Option<u64>| size.map_or("no known size".to_owned(), |n| plural(n, "byte"));
            let is = format!("{was} of {}", bytes(old));
            let got = format!("{name} of {}", bytes(size));
            return differs(None, Setting::Data, is, got);
        }
    }
    Ok(())
}

fn same_task(a: &Task, b: &Task) -> bool {
    match (a, b) {
        (
            Task::Binary { negative, positive },
            Task::Binary {
                negative: other,
                positive: one,
            },
        ) => (negative, positive) == (other, one),
        (Task::OneVsRest, Task::OneVsRest)
        | (Task::MultiLabel, Task::MultiLabel)
        | (Task::Regression, Task::Regression) => true,
        _ => false,
    }
}

fn in_words(task: &Task) -> String {
    match task {
        Task::Binary { negative, positive } => {
            let negative = negative.as_ref().map_or("the rest", |label| label.name());
            format!("{} against {negative}", positive.name())
        }
        Task::OneVsRest => "each against the rest".to_owned(),
        Task::MultiLabel => "several a row".to_owned(),
        Task::Regression => "numbers".to_owned(),
    }
}

/// The model to go on from, if there is one: in memory, or in the file that the job names.
fn resume(fit: &Fit, from: Option<Model>) -> Result<Option<Resumed>, Error> {
    let resumed = match (from, &fit.resume) {
        (Some(model), _) => resumable(Path::new(IN_MEMORY), fit, model, None)?,
        (None, Some(path)) => {
            let loaded = novikoff_data::model::load(path, fit.rows.memory)?;
            resumable(path, fit, loaded.model, loaded.unfinished)?
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(resumed))
}

/// A model to go on from; what was asked for must be what it was trained with.
fn resumable(
    path: &Path,
    fit: &Fit,
    model: Model,
    unfinished: Option<Unfinished>,
) -> Result<Resumed, Error> {
    if !model.spec().learns() {
        let what = format!(
            "{}: was solved for all its rows at once and does not learn from more",
            path.display()
        );
        return Err(Error::refused(what, Remedy::hint(Hint::Solve)));
    }
    if unfinished.is_none() {
        fit.rows.check_schema(&model, path)?;
    }
    let path = Some(path);
    if let Some(spec) = &fit.spec
        && !spec.same(model.spec())
    {
        return differs(
            path,
            Setting::Learner,
            model.spec().to_string(),
            spec.to_string(),
        );
    }
    let word = |value: Option<f64>| value.map_or("off".to_owned(), |v| v.to_string());
    let is = model.preparation();
    if fit.run.standardize && is.standardize.is_none() {
        return differs(
            path,
            Setting::Standardize,
            "off".to_owned(),
            "on".to_owned(),
        );
    }
    let asked = fit.run.for_learner(&fit.run.preparation(), model.spec());
    if fit.run.bias.is_some() && is.bias != asked.bias {
        let [is, got] = [is.bias, asked.bias].map(|b| word(b.map(f64::from)));
        return differs(path, Setting::Bias, is, got);
    }
    if fit.run.normalize.is_some() && is.normalize != asked.normalize {
        let normalize = asked.normalize;
        return differs(
            path,
            Setting::Normalize,
            word(is.normalize),
            word(normalize),
        );
    }
    if fit.rows.read.zero_based && !model.is_zero_based() {
        return differs(path, Setting::ZeroBased, "1".to_owned(), "0".to_owned());
    }
    if fit.run.task.is_some() && unfinished.is_none() {
        return Err(Error::refused(
            "a resumed run goes on with the labels of the model",
            Remedy::leave_out(&[Setting::Positive, Setting::Labels, Setting::MultiLabel]),
        ));
    }
    let kernel = fit.run.kernel_for(model.spec());
    if fit.run.kernel.is_some() && !kernel.became(model.kernel(), model.has_auto_gamma()) {
        return differs(
            path,
            Setting::Kernel,
            model.kernel().to_string(),
            kernel.to_string(),
        );
    }
    if let Some(asked) = fit.run.map
        && !model.map().is_some_and(|map| map.is_of(&asked))
    {
        let is = model.map().map_or("off".to_owned(), ToString::to_string);
        return differs(path, Setting::Map, is, asked.to_string());
    }
    if let Some(bits) = fit.rows.hash
        && model.names().bits() != Some(bits)
    {
        let is = model.names().bits();
        let is = is.map_or("off".to_owned(), |b| b.to_string());
        return differs(path, Setting::Hash, is, bits.to_string());
    }
    Ok((model, unfinished))
}
