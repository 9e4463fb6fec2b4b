/** A column's type and constraints in SQL. A comment may follow `--`. */
type ColumnSql = `${'INTEGER' | 'REAL' | 'TEXT' | 'BLOB'}${string}`

type Column = ColumnSql | { readonly redacted: ColumnSql }
type Columns = Readonly<Record<string, Column>>

/** A table as it is declared. Its SQL, the type of its rows and its entry in the catalogue follow from it. */
interface Declaration {
  /**
   * - `log`: recorded data; the source of all projections.
   * - `projection`: derived from the log; a rebuild fills it again.
   * - `people`: data that people made; no rebuild touches it.
   * - `upkeep`: the store's own notes.
   */
  readonly role: 'log' | 'projection' | 'people' | 'upkeep'
  /** The projection that fills the table; a rebuild replaces its tables together. */
  readonly group?: string
  /** The column that ties a row to its session, directly or through an event; null if rows belong to no session. */
  readonly owner: 'id' | 'session_id' | 'event_uuid' | 'event_id' | null
  /** The primary key, if the table has one row per event and its value is the event's id. */
  readonly eventId?: 'id' | 'event_id'
  /** The column with an event's id, if an event may have several rows. */
  readonly perEvent?: 'event_id'
  /** The full-text index over the table. */
  readonly fullText?: string
  readonly columns: Columns
  /** The primary key, if it has several columns. */
  readonly key?: readonly string[]
  readonly unique?: readonly string[]
  readonly withoutRowid?: true
  /** Sums over all sessions: the columns after the key are added up. */
  readonly sums?: true
  /** Columns and condition of each index. */
  readonly indexes?: Readonly<Record<string, string>>
  /** Full text and triggers, unless a projection defines them. */
  readonly followedBy?: readonly string[]
}

/** Names of the columns of a table of sums. */
export interface SumColumns<Name extends string = string> {
  readonly keys: readonly string[]
  /** Whole numbers. */
  readonly counts: readonly Name[]
  readonly totals: readonly Name[]
}

/** A table of the database, as rebuild, delete, redact, scrub and the health check see it. */
export interface Table extends Omit<Declaration, 'sums'> {
  /** The redacted columns. */
  readonly text: readonly string[]
  /** The primary key of a table without rowid. */
  readonly keys?: readonly string[]
  readonly sums?: SumColumns
}

type Declared<T extends Declaration> = Omit<T, 'sums'> & {
  readonly text: readonly string[]
  readonly keys?: readonly string[]
} & (T extends { readonly sums: true; readonly key: readonly (infer Key)[] }
    ? { readonly sums: SumColumns<Exclude<keyof T['columns'] & string, Key>> }
    : unknown)

/** Declares a table. */
export function defineTable<const T extends Declaration>(declaration: T): Declared<T>
export function defineTable({ sums, ...declared }: Declaration): Table {
  const columns = Object.entries(declared.columns)
  const key =
    declared.key ?? columns.filter(([, column]) => sqlOf(column).includes('PRIMARY KEY')).map(([name]) => name)
  const summed = (type: string) =>
    columns.filter(([name, column]) => !key.includes(name) && sqlOf(column).startsWith(type)).map(([name]) => name)
  return {
    ...declared,
    text: columns.flatMap(([name, column]) => (typeof column === 'string' ? [] : [name])),
    ...(declared.withoutRowid === true && { keys: key }),
    ...(sums === true && { sums: { keys: key, counts: summed('INTEGER'), totals: summed('REAL') } }),
  }
}

/**
 * Returns the common declarations of a projection's tables: the projection, and the column that ties a row to its
 * session.
 */
export const projection = <const Group extends string, const Owner extends Declaration['owner']>(
  group: Group,
  owner: Owner,
) => ({ role: 'projection', group, owner }) as const

/** Declares a column that may hold secrets, other than names that rows refer to. A redaction of the past rewrites it. */
export const redacted = <const Sql extends ColumnSql>(sql: Sql) => ({ redacted: sql })

const sqlOf = (column: Column): string => (typeof column === 'string' ? column : column.redacted)

/** The names in `CHECK (column IN ('a', 'b'))`. */
type Listed<List extends string> = List extends `'${infer First}', ${infer Rest}`
  ? First | Listed<Rest>
  : List extends `'${infer Last}'`
    ? Last
    : never
type TextValue<Sql extends string> = Sql extends `${string} IN (${infer List}))${string}` ? Listed<List> : string
type Value<Sql extends string> = Sql extends `TEXT${string}`
  ? TextValue<Sql>
  : Sql extends `BLOB${string}`
    ? Uint8Array
    : number
type SqlOf<C> = C extends { readonly redacted: infer Sql extends string } ? Sql : C extends string ? C : never
type Nullable<Sql extends string> = Sql extends `${string}NOT NULL${string}` | `${string}PRIMARY KEY${string}`
  ? never
  : null

/** A row of a declared table. */
export type RowOf<T extends { readonly columns: Columns }> = {
  -readonly [Name in keyof T['columns']]: Value<SqlOf<T['columns'][Name]>> | Nullable<SqlOf<T['columns'][Name]>>
}

type IsOpen<Sql extends string> = Sql extends `${string}DEFAULT ${string}`
  ? true
  : null extends Nullable<Sql>
    ? true
    : false

/** The columns of a row that may be left out. */
type Defaults<T extends { readonly columns: Columns }> = {
  -readonly [
    Name in keyof T['columns'] as IsOpen<SqlOf<T['columns'][Name]>> extends true ? Name : never
  ]: RowOf<T>[Name]
}

/** Returns the values of columns that a row does not state: their defaults, and null. */
export function defaultsOf<T extends { readonly columns: Columns }>({ columns }: T): Defaults<T> {
  const open = Object.entries(columns).flatMap(([name, column]): readonly (readonly [string, unknown])[] => {
    const sql = sqlOf(column)
    const [, text, number] = /DEFAULT (?:'(\w*)'|(\d+))/.exec(sql) ?? []
    if (text !== undefined || number !== undefined) return [[name, text ?? Number(number)]]
    return /NOT NULL|PRIMARY KEY/.test(sql) ? [] : [[name, null]]
  })
  return Object.fromEntries(open) as Defaults<T>
}

/** Names of tables, indexes and triggers, or their replacements. */
export type Rename = (name: string) => string

/** Returns the SQL that creates a table. */
export function createTable(name: string, table: Table, nameOf: Rename): string {
  const options = table.withoutRowid === true ? 'STRICT, WITHOUT ROWID' : 'STRICT'
  return `CREATE TABLE ${nameOf(name)} (\n${definitions(table, nameOf).join('\n')}\n) ${options}`
}

/** Returns the SQL that creates the indexes of a table. */
export const createIndexes = (name: string, { indexes = {} }: Table, nameOf: Rename, own: Rename): readonly string[] =>
  Object.entries(indexes).map(([index, sql]) => {
    const [, unique = '', on = sql] = /^(UNIQUE )(.*)$/.exec(sql) ?? []
    return `CREATE ${unique}INDEX ${own(index)} ON ${nameOf(name)} ${on}`
  })

/** Returns the lines between the brackets of CREATE TABLE, aligned for people. */
function definitions({ columns, key, unique }: Table, nameOf: Rename): readonly string[] {
  const parsed = Object.entries(columns).map(([name, column]) => {
    const [sql = '', comment] = sqlOf(column).split(' -- ')
    const [type = '', ...rest] = sql
      .replace(/REFERENCES (\w+)/, (_, other: string) => `REFERENCES ${nameOf(other)}`)
      .split(' ')
    return { name, type, rest: rest.join(' '), comment }
  })
  const widest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length))
  const nameWidth = widest(parsed.map(({ name }) => name))
  const typeWidth = widest(parsed.map(({ type }) => type))
  const constraints = [
    ...(key === undefined ? [] : [`  PRIMARY KEY (${key.join(', ')})`]),
    ...(unique === undefined ? [] : [`  UNIQUE (${unique.join(', ')})`]),
  ]
  const lines = parsed.map(({ name, type, rest, comment }) => ({
    sql: `  ${name.padEnd(nameWidth)} ${type.padEnd(typeWidth)} ${rest}`.trimEnd(),
    comment,
  }))
  const all = [...lines, ...constraints.map((sql) => ({ sql, comment: undefined }))]
  const ended = all.map(({ sql, comment }, at) => ({ sql: at === all.length - 1 ? sql : `${sql},`, comment }))
  const width = widest(ended.filter(({ comment }) => comment !== undefined).map(({ sql }) => sql))
  return ended.map(({ sql, comment }) => (comment === undefined ? sql : `${sql.padEnd(width)} -- ${comment}`))
}

/** Returns the names of a table's columns. */
export const columnsOf = <T extends { readonly columns: Columns }>(
  table: T,
): readonly (keyof T['columns'] & string)[] => Object.keys(table.columns)

/** Returns the statement that inserts a row, bound by name. */
export function insertInto(name: string, { columns }: Pick<Table, 'columns'>, or: '' | 'OR REPLACE' = ''): string {
  const names = Object.keys(columns)
  return `INSERT ${or} INTO ${name} (${names.join(', ')}) VALUES (${names.map((column) => `@${column}`).join(', ')})`
}

/** Returns the statement that updates the row with the same `id`, bound by name. */
export const updateRow = (name: string, { columns }: Pick<Table, 'columns'>): string =>
  `UPDATE ${name} SET ${Object.keys(columns)
    .map((column) => `${column} = @${column}`)
    .join(', ')} WHERE id = @id`

/** Returns the assignments of an upsert that replaces columns. */
export const replacing = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = excluded.${column}`).join(', ')
