import { z } from 'zod'
import type { Operation } from '../../src/shared/contract/operation.ts'
import type { StoredFacts } from './stored-facts.ts'

type Schema = z.core.JSONSchema.BaseSchema
type Input = Readonly<Record<string, unknown>>

/** The call of an operation. */
export interface PlannedCall {
  readonly input: Input
  /** Number of pages to read if the answer has more. */
  readonly pages: number
}

/** Fields that take the values of another. */
const SAME_AS: { readonly [field: string]: string } = {
  against: 'uuid',
  asked_in: 'session_id',
  tool: 'tool_name',
  match: 'query',
  since: 'time',
  until: 'time',
  before: 'time',
  active_since: 'time',
  active_before: 'time',
  start: 'time',
  end: 'time',
  last_event_id: 'after',
  up_to: 'after',
}

/** A later value or name than any store has. */
const ABSENT_TIME = '2031-01-01T00:00:00.000Z'
const ABSENT_NUMBER = 987_654

/** Fields that are no filter: pages follow them. */
const OF_PAGES = new Set(['cursor', 'limit'])

/** Optional fields that select what the others narrow, the first that an operation has. */
const SCOPES = ['uuid', 'session_id']

/** Values that an optional filter gets, in addition to an absent one. */
const FILTERS = 4
/** Inputs that differ in their required fields. */
const REQUIRED = 24
/** Required fields with which every filter is tried. */
const FILTERED = 2
const FIRST_PAGES = 4
const ALL_PAGES = 2000

/**
 * Plans the calls of an operation: each value of its required fields, then each optional field alone, with values that occur
 * and one that does not, of lists each pair of optional fields, each order, small pages, and all pages of the largest size.
 */
export function plannedCalls(operation: Operation, allFacts: StoredFacts): readonly PlannedCall[] {
  const facts = factsFor(operation, allFacts)
  const schema: Schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  const fields = Object.entries(schema.properties ?? {}).filter(
    (field): field is [string, Schema] => typeof field[1] !== 'boolean',
  )
  const required = fields.filter(([name]) => schema.required?.includes(name) === true)
  const optional = fields.filter(([name]) => !required.some(([other]) => other === name) && !OF_PAGES.has(name))
  const bases = requiredInputs(required, facts)
  const isList = fields.some(([name]) => name === 'cursor')
  const scope = isList ? undefined : SCOPES.find((name) => optional.some(([other]) => other === name))
  const narrow = scopedInputs(bases.slice(0, FILTERED), scope, facts)
  const valuesOf = new Map(optional.map(([name, field]) => [name, valuesFor(name, field, facts)]))
  const present = isList ? [...valuesOf].filter(([, values]) => values.length > 1) : []

  const inputs = [
    ...bases,
    ...narrow.flatMap((base) =>
      [...valuesOf].flatMap(([name, values]) => values.map((value) => ({ ...base, [name]: value }))),
    ),
    ...narrow
      .slice(0, 1)
      .flatMap((base) =>
        present.flatMap(([one, [first]], at) =>
          present.slice(at + 1).map(([other, [second]]) => ({ ...base, [one]: first, [other]: second })),
        ),
      ),
    ...requiredInputs(required, facts, true),
  ]
  const limit = fields.find(([name]) => name === 'limit')?.[1]
  const calls = inputs.map((input) => ({ input, pages: 'order' in input || 'sort' in input ? FIRST_PAGES : 1 }))
  const paged = limit === undefined ? [] : narrow.flatMap((base) => pagedCalls(base, limit.maximum ?? 100))
  return distinct([...calls, ...paged])
}

/** Returns the facts for an operation, its own instead of general ones. */
function factsFor({ name }: Operation, facts: StoredFacts): StoredFacts {
  const prefix = `${name.split('.')[0]} `
  const own = [...facts].filter(([field, values]) => field.startsWith(prefix) && values.length > 0)
  return new Map([...facts, ...own.map(([field, values]) => [field.slice(prefix.length), values] as const)])
}

/** Adds inputs that name one thing: without it, some operations refuse their other fields. */
function scopedInputs(bases: readonly Input[], scope: string | undefined, facts: StoredFacts): readonly Input[] {
  if (scope === undefined) return bases
  const [first] = facts.get(scope) ?? []
  return [...bases, ...bases.slice(0, 1).map((base) => ({ ...base, [scope]: first }))]
}

const pagedCalls = (base: Input, largest: number): PlannedCall[] => [
  { input: { ...base, limit: 1 }, pages: FIRST_PAGES },
  { input: { ...base, limit: 7 }, pages: FIRST_PAGES },
  { input: { ...base, limit: largest }, pages: ALL_PAGES },
]

/** Returns inputs with the required fields alone: with values that occur, or one input with values that do not. */
function requiredInputs(
  required: readonly (readonly [string, Schema])[],
  facts: StoredFacts,
  isAbsent = false,
): readonly Input[] {
  const names = required.map(([name]) => name)
  if (isAbsent)
    return names.length === 0
      ? []
      : [Object.fromEntries(required.map(([name, field]) => [name, absentFor(name, field)]))]
  const together = facts.get(names.join('+'))
  if (names.length > 1 && together !== undefined)
    return together
      .slice(0, REQUIRED)
      .map((row) => Object.fromEntries(names.map((name, at) => [name, (row as unknown[])[at]])))
  const values = required.map(([name, field]) => valuesFor(name, field, facts, REQUIRED))
  const most = Math.max(1, ...values.map(({ length }) => length - 1))
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(
      names.map((name, field) => [name, values[field]?.[at % Math.max(1, (values[field]?.length ?? 1) - 1)]]),
    ),
  )
}

/** Returns values that a field accepts; of open fields, the last one does not occur in the store. */
function valuesFor(name: string, field: Schema, facts: StoredFacts, most = FILTERS): readonly unknown[] {
  const known = facts.get(name === 'after' && field.type === 'string' ? 'time' : (SAME_AS[name] ?? name))
  if (known !== undefined && field.enum === undefined) return [...spread(known, most), absentFor(name, field)]
  return ofType(name, field, facts)
}

function ofType(name: string, field: Schema, facts: StoredFacts): readonly unknown[] {
  if (field.enum !== undefined) return field.enum
  if (field.const !== undefined) return [field.const]
  const [first] = field.anyOf ?? field.oneOf ?? []
  if (first !== undefined && typeof first !== 'boolean') return ofType(name, first, facts)
  const types = [field.type].flat()
  if (types.includes('boolean')) return [true, false]
  if (types.includes('array')) return listsOf(name, field, facts)
  if (types.includes('object')) return objectsOf(field, facts)
  if (types.includes('integer') || types.includes('number')) return numbersOf(field)
  return [`no-such-${name}`]
}

/** Returns lists of one value and of several. */
function listsOf(name: string, { items }: Schema, facts: StoredFacts): readonly unknown[] {
  if (items === undefined || typeof items === 'boolean' || Array.isArray(items)) return [[]]
  const values = valuesFor(name.replace(/s$/, ''), items as Schema, facts)
  return [...values.map((value) => [value]), values]
}

/** Returns an object for each place in the lists of its fields' values. */
function objectsOf(field: Schema, facts: StoredFacts): readonly Input[] {
  const fields = Object.entries(field.properties ?? {}).filter(
    (entry): entry is [string, Schema] => typeof entry[1] !== 'boolean',
  )
  const together = facts.get(fields.map(([name]) => name.replace('turn_id', 'turn')).join('+'))
  if (together !== undefined && fields.length > 1)
    return spread(together, FILTERS).map((row) =>
      Object.fromEntries(fields.map(([name], at) => [name, (row as unknown[])[at]])),
    )
  return Array.from({ length: 2 }, (_, at) =>
    Object.fromEntries(
      fields.flatMap(([name, schema]) => {
        const values = valuesFor(name, schema, facts)
        return field.required?.includes(name) === true || at > 0 ? [[name, values[at % values.length]]] : []
      }),
    ),
  )
}

/** Returns the ends of a range, unless the upper end is only there to bound it, and a number between. */
function numbersOf({ minimum = 0, maximum = ABSENT_NUMBER, default: preset }: Schema): readonly number[] {
  const middle = typeof preset === 'number' && preset > minimum ? preset * 2 : minimum + 5
  return [...new Set([minimum, Math.min(middle, maximum), Math.min(maximum, ABSENT_NUMBER)])]
}

function absentFor(name: string, field: Schema): unknown {
  if (SAME_AS[name] === 'time') return ABSENT_TIME
  if (name === 'day') return ABSENT_TIME.slice(0, 10)
  if (name === 'hash') return 'abcdef0123456789'
  return [field.type].flat().some((type) => type === 'integer' || type === 'number') ? ABSENT_NUMBER : `no-such-${name}`
}

/** Returns up to `most` values from everywhere in a list. */
function spread(values: readonly unknown[], most: number): readonly unknown[] {
  if (values.length <= most) return values
  return Array.from({ length: most }, (_, at) => values[Math.floor((at * values.length) / most)])
}

const distinct = (calls: readonly PlannedCall[]): readonly PlannedCall[] => [
  ...new Map(calls.map((call) => [JSON.stringify(call), call])).values(),
]
