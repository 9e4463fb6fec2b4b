import type { OperationName, ParsedInput } from '../../shared/contract/index.ts'

/** The database that a list is read from: a laptop's SQLite, or a team's PostgreSQL. */
export type StoreName = 'local' | 'team'

/** A value that both stores share, or one for each. */
export type Each<T> = T | { readonly local: T; readonly team: T }

export type Value = string | number | readonly (string | number)[]

/**
 * The SQL condition of an input field. Each `?` is the field's value; SQL without one belongs to a flag and applies
 * when the flag is set. `null`: that store cannot answer. `value` converts the input; undefined: no condition.
 */
export type Filter =
  | string
  | {
      readonly local: string | null
      readonly team: string | null
      readonly value?: (given: string) => string | undefined
    }

/** The expression of each column of a row. */
export type Columns<Row> = { readonly [Column in keyof Row]-?: Each<string> }

/** An expression that rows are sorted by, and the type of its values. */
export type Key = readonly [sql: string, type: 'text' | 'number' | 'time']

/** Input fields that do not filter a list. */
type Paging = 'limit' | 'cursor' | 'sort' | 'order' | 'as_text' | 'tz'

/** A condition for each field that narrows an operation's list. */
export type Filters<Name extends OperationName> = {
  readonly [Field in Exclude<keyof ParsedInput<Name>, Paging>]-?: Filter
}

type SortOf<Name extends OperationName> =
  ParsedInput<Name> extends { readonly sort: infer Sort extends string } ? Sort : never

/**
 * An operation's list, for both stores: its source, columns, filters and order. A filter of the contract that is missing
 * here is an error of types. Flags are numbers in SQLite.
 */
export interface Listing<Row, Name extends OperationName> extends LocalListing<Row, Name> {
  /** Alias of the team's table whose member_id, session_id and shared give a row's owner. */
  readonly owner: string
}

/** A list that only a laptop answers. */
export interface LocalListing<Row, Name extends OperationName> {
  readonly from: Each<string>
  /** Conditions that each row meets. */
  readonly where: Each<string>
  readonly columns: Columns<Row>
  readonly filters: Filters<Name>
  /** First sort key by the input's `sort`. */
  readonly sorts: { readonly [Sort in SortOf<Name>]: Each<Key> }
  /** The other sort keys, with which no two rows are equal. */
  readonly key: Each<readonly Key[]>
  /** The direction, unless the input's `order` says `newest` or `oldest`. */
  readonly order: 'ASC' | 'DESC'
}
