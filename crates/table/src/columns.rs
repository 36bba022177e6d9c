//! Columns of a table while they are filled.
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray,
    builder::{Int64Builder, MapBuilder, StringBuilder, StringDictionaryBuilder},
    cast::AsArray,
    types::Int32Type,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use std::{collections::BTreeMap, sync::Arc};

/// Text that repeats: the different texts once, and a number for each row.
pub(crate) fn repeated() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// Whether it is such text.
pub(crate) fn is_repeated(kind: &DataType) -> bool {
    *kind == repeated()
}

/// A label's map.
pub(crate) fn map() -> DataType {
    let entry = Fields::from(vec![
        Field::new("keys", DataType::Utf8, false),
        Field::new("values", DataType::Utf8, true),
    ]);
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entry), false)), false)
}

/// One text for all rows.
pub(crate) fn same(text: Option<&str>, rows: usize) -> ArrayRef {
    let key = text.map(|_| 0);
    let keys: Int32Array = (0..rows).map(|_| key).collect();
    let values = StringArray::from_iter_values(text);
    let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values));
    Arc::new(column.expect("each key is that of the one value"))
}

/// One number for all rows.
pub(crate) fn same_number(number: Option<i64>, rows: usize) -> ArrayRef {
    let mut column = Int64Builder::with_capacity(rows);
    (0..rows).for_each(|_| column.append_option(number));
    Arc::new(column.finish())
}

/// The same labels for all rows.
pub(crate) fn same_map(labels: &BTreeMap<String, String>, rows: usize) -> ArrayRef {
    let mut column = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for _ in 0..rows {
        for (key, value) in labels {
            column.keys().append_value(key);
            column.values().append_value(value);
        }
        column.append(true).expect("as many keys as values");
    }
    Arc::new(column.finish())
}

/// Texts of which few are different.
#[derive(Default)]
pub(crate) struct Repeated(StringDictionaryBuilder<Int32Type>);

impl std::fmt::Debug for Repeated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repeated").finish_non_exhaustive()
    }
}

impl Repeated {
    pub(crate) fn push(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.0.append_value(text),
            None => self.0.append_null(),
        }
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// The rows with texts in place of dictionaries.
pub(crate) fn plain(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let text = |column: &ArrayRef| -> ArrayRef {
        let Some(of) = column.as_any_dictionary_opt() else { return column.clone() };
        let values = of.values().as_string::<i32>();
        let keys = of.keys().as_primitive::<Int32Type>();
        let texts = keys.iter().map(|key| key.map(|key| values.value(key.unsigned_abs() as usize)));
        Arc::new(texts.collect::<StringArray>())
    };
    let columns = rows.columns().iter().map(text).collect();
    RecordBatch::try_new(plain_schema(&rows.schema()), columns)
}

/// A schema with texts in place of dictionaries.
pub(crate) fn plain_schema(of: &Schema) -> SchemaRef {
    let field = |it: &FieldRef| match it.data_type() {
        DataType::Dictionary(..) => Arc::new(it.as_ref().clone().with_data_type(DataType::Utf8)),
        _ => it.clone(),
    };
    let fields: Fields = of.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, of.metadata().clone()))
}
