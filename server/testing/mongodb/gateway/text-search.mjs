// Implements the parts of Atlas Search that the service uses, as aggregations of DocumentDB over the collection itself. It
// rejects everything else, also a condition on a field that the index definition does not have with a fitting type.
import { deserialize, serialize } from 'bson';
import { CommandError } from './errors.mjs';
import { KEEP_TYPES } from './vectors.mjs';

const SCORE = '__search_score__';
const NOTHING = { _id: { $exists: false } };
/** Clauses that Lucene accepts in one query. */
const MOST_CLAUSES = 1_024;
/** Characters of a token that Atlas compares. */
const TOKEN_LENGTH = 8_181;

/** The types of a field that each operator can search. */
const SEARCHABLE = {
  equals: ['token', 'boolean', 'number', 'date'],
  in: ['token', 'boolean', 'number', 'date'],
  range: ['number', 'date'],
  text: ['string'],
};
const BOUNDS = ['gt', 'gte', 'lt', 'lte'];
const STRING_OPTIONS = {
  analyzer: ['lucene.keyword'],
  searchAnalyzer: ['lucene.keyword'],
  indexOptions: ['docs', 'freqs', 'positions', 'offsets'],
  norms: ['include', 'omit'],
  store: [true, false],
};

/** @throws {CommandError} for a definition that is not fully supported */
export function checkSearchDefinition({ mappings, ...others }) {
  only(others, []);
  only(mappings, ['dynamic', 'fields']);
  if (mappings.dynamic !== false) reject('only "dynamic: false" is supported');
  for (const [path, { type, ...options }] of Object.entries(mappings.fields)) {
    if (type === 'string') {
      for (const [name, value] of Object.entries(options)) {
        if (!STRING_OPTIONS[name]?.includes(value)) reject(`${path} cannot have ${name} ${value}`);
      }
      continue;
    }
    if (!['token', 'boolean', 'number', 'date'].includes(type)) reject(`${path} has an unknown type ${type}`);
    only(options, []);
  }
}

/** Reports if a pipeline has a stage of Atlas Search, also in a union. */
export function isTextSearch(pipeline) {
  return (pipeline ?? []).some(
    ({ $search, $searchMeta, $unionWith }) => $search || $searchMeta || isTextSearch($unionWith?.pipeline),
  );
}

/** Translates a command. @param definitionOf returns the definition of an index, or undefined if there is none */
export function textPipeline(raw, definitionOf) {
  const spec = deserialize(raw, KEEP_TYPES);
  const level = spec.readConcern?.level;
  if (level !== 'local') reject(`$search does not support the read concern ${level}`);
  return serialize({ ...spec, pipeline: translated(spec.pipeline, definitionOf) });
}

function translated([first, ...rest], definitionOf) {
  const following = rest.map(({ $unionWith, ...stage }) =>
    $unionWith ? { $unionWith: { ...$unionWith, pipeline: translated($unionWith.pipeline, definitionOf) } } : stage,
  );
  if (first.$search) return [...found(first.$search, definitionOf), ...following.map(withScore), { $unset: SCORE }];
  if (first.$searchMeta) return [...counted(first.$searchMeta, definitionOf), ...following];
  return [first, ...following];
}

function found({ index, compound, ...others }, definitionOf) {
  only(others, []);
  const { should = [], minimumShouldMatch, ...conditions } = compound;
  const fields = fieldsOf(definitionOf(index));
  if (should.length > 0 && Number(minimumShouldMatch) !== 1) reject('minimumShouldMatch must be 1');
  const scored = should.map((clause) => scoredTerm(clause, fields));
  const anyOf = scored.length > 0 ? [{ $or: scored.map(({ condition }) => condition) }] : [];
  if (countClauses(compound) > MOST_CLAUSES) reject('maxClauseCount is set to 1024');
  const match = fields ? { $and: [conditionsOf(conditions, fields), ...anyOf] } : NOTHING;
  const score = scored.length > 0 ? { $add: scored.map(({ score }) => score) } : { $literal: 0 };
  return [{ $match: match }, { $set: { [SCORE]: score } }, { $sort: { [SCORE]: -1, _id: 1 } }];
}

function counted({ index, compound, count, ...others }, definitionOf) {
  only(others, []);
  only(count, ['type', 'threshold']);
  if (count.type !== 'lowerBound' || !(Number(count.threshold) > 0)) reject('count must have a lower bound');
  const fields = fieldsOf(definitionOf(index));
  const match = fields ? conditionsOf(compound, fields) : NOTHING;
  return [
    { $match: match },
    { $facet: { all: [{ $count: 'number' }] } },
    { $project: { count: { lowerBound: { $ifNull: [{ $arrayElemAt: ['$all.number', 0] }, 0] } } } },
  ];
}

function fieldsOf(definition) {
  return definition?.mappings.fields;
}

function conditionsOf({ filter = [], mustNot = [], ...others }, fields) {
  only(others, []);
  if (filter.length === 0) reject('a compound needs a filter');
  const none = mustNot.map((clause) => conditionOf(clause, fields));
  return {
    $and: [...filter.map((clause) => conditionOf(clause, fields)), ...(none.length > 0 ? [{ $nor: none }] : [])],
  };
}

function conditionOf(clause, fields) {
  const [[operator, spec], ...more] = Object.entries(clause);
  if (more.length > 0) reject('a clause has one operator');
  if (operator === 'compound') return conditionsOf(spec, fields ?? {});
  const type = typeOf(operator, spec.path, fields);
  if (operator === 'range') return rangeOf(spec, type);
  if (operator === 'text') {
    only(spec, ['path', 'query']);
    if (typeof spec.query !== 'string') reject('only one query is supported');
    return { [spec.path]: spec.query };
  }
  only(spec, ['path', 'value']);
  if (operator === 'equals') return { [spec.path]: typed(spec.value, type) };
  if (!Array.isArray(spec.value) || spec.value.length === 0) reject('"value" must be an array that is not empty');
  return { [spec.path]: { $in: spec.value.map((value) => typed(value, type)) } };
}

function rangeOf({ path, ...bounds }, type) {
  only(bounds, BOUNDS);
  const entries = Object.entries(bounds);
  if (entries.length === 0) reject('a range needs a bound');
  return { [path]: Object.fromEntries(entries.map(([name, value]) => [`$${name}`, typed(value, type)])) };
}

/** A term with a constant score. */
function scoredTerm({ text: { score, ...text }, ...others }, fields) {
  only(others, []);
  only(score, ['constant']);
  only(score.constant, ['value']);
  const value = Number(score.constant.value);
  if (!(value >= 0)) reject('a score must be a number that is not negative');
  const has = { $in: [{ $literal: text.query }, `$${text.path}`] };
  // Lucene has numbers of 32 bits.
  return { condition: conditionOf({ text }, fields), score: { $cond: [has, Math.fround(value), 0] } };
}

function typeOf(operator, path, fields) {
  const types = SEARCHABLE[operator] ?? reject(`unknown operator ${operator}`);
  // Without an index there is nothing to check.
  if (!fields) return undefined;
  const type = fields[path]?.type;
  if (!types.includes(type)) reject(`path ${path} must be indexed as ${types.join(' or ')} for ${operator}`);
  return type;
}

function typed(value, type) {
  const is = {
    token: typeof value === 'string' && value.length <= TOKEN_LENGTH,
    boolean: typeof value === 'boolean',
    number: ['Int32', 'Double', 'Long'].includes(value?._bsontype) || typeof value === 'number',
    date: value instanceof Date,
  };
  if (type !== undefined && !is[type]) reject(`${value} is not a ${type}`);
  return value;
}

function countClauses(node) {
  if (Array.isArray(node)) return node.reduce((sum, each) => sum + countClauses(each), node.length);
  if (node === null || typeof node !== 'object' || node._bsontype || node instanceof Date) return 0;
  const { value: _, ...parts } = node;
  return Object.values(parts).reduce((sum, each) => sum + countClauses(each), 0);
}

function withScore(node) {
  if (Array.isArray(node)) return node.map(withScore);
  if (node === null || typeof node !== 'object' || node._bsontype || node instanceof Date) return node;
  if (node.$meta === 'searchScore') return `$${SCORE}`;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withScore(value)]));
}

function only(given, names) {
  if (given === null || typeof given !== 'object') reject('an object is missing');
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) reject(`unrecognized field "${unknown}"`);
}

function reject(message) {
  throw new CommandError(8, 'UnknownError', `the test engine rejects this search: ${message}`);
}
