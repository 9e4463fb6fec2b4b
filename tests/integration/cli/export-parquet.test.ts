import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { momentOf } from '../../support/app/surface-history.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { duckRows } from '../../support/app/duckdb.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'

let folder: ReturnType<typeof makeTempFolder>
let [data, out] = ['', '']

beforeAll(async () => {
  folder = makeTempFolder()
  ;[data, out] = [join(folder.path, 'data'), join(folder.path, 'out')]
  mkdirSync(data, { mode: 0o700 })
  fillWithDemo(data, 'parquet', 6)
  const done = await aspyHere(['export', '--parquet', out, '--data', data])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(/^Exported 6 sessions to .*: [\d,]+ events, [\d,]+ texts, [\d,]+ usage rows\.\n$/)
})
afterAll(() => folder[Symbol.dispose]())

function sql<Row>(query: string): Row[] {
  const db = new Database(join(data, 'lifestats.db'), { readonly: true })
  try {
    return db.prepare<[], Row>(query).all()
  } finally {
    db.close()
  }
}

const numbered = (rows: readonly object[]): object[] =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : Number(value)])),
  )

test('DuckDB counts and sums the same as the tables', async () => {
  const sums = `count(*) AS n, sum(input_tokens) AS i, sum(output_tokens) AS o, sum(cache_read_tokens) AS r,
    sum(cache_creation_tokens) AS w, round(sum(cost_usd), 9) AS usd`
  expect(numbered(await duckRows(out, `SELECT ${sums} FROM 'usage/**/*.parquet'`))).toEqual(
    numbered(sql(`SELECT ${sums} FROM api_usage`)),
  )
  const kinds = await duckRows(out, `SELECT kind, count(*)::INT AS n FROM 'events/**/*.parquet' GROUP BY 1 ORDER BY 1`)
  expect(kinds).toEqual(sql('SELECT kind, count(*) AS n FROM events GROUP BY 1 ORDER BY 1'))
})

test('each text is whole, in the order of its session', async () => {
  const query = (from: string) => `SELECT t.text FROM ${from}`
  const texts = await duckRows(
    out,
    `${query("'texts/**/*.parquet' t")} WHERE kind = 'user_prompt' ORDER BY session_id, turn_id, seq`,
  )
  expect(texts).toEqual(
    sql(`SELECT p.content AS text FROM user_prompts p JOIN events e ON e.id = p.id
         WHERE p.content <> '' ORDER BY e.session_id, e.turn_id, e.seq`),
  )
  const thoughts = await duckRows(out, `SELECT count(*)::INT AS n FROM 'texts/**/*.parquet' WHERE kind = 'thinking'`)
  expect(thoughts).toEqual(sql(`SELECT count(*) AS n FROM thinking_blocks WHERE content <> ''`))
})

test('month and session are in the path and match the rows', async () => {
  const wrong = await duckRows(
    out,
    `SELECT count(*)::INT AS n FROM read_parquet('events/**/*.parquet', hive_partitioning = true)
     WHERE session <> session_id OR month <> strftime(ts_wall, '%Y-%m')`,
  )
  expect(wrong).toEqual([{ n: 0 }])
  const file = (
    await duckRows(out, `SELECT DISTINCT filename AS f FROM read_parquet('usage/**/*.parquet', filename = true)`)
  )[0]
  expect(file?.['f']).toMatch(/usage\/month=\d{4}-\d\d\/session=[\w-]+\/data\.parquet$/)
  expect(statSync(String(file?.['f'])).mode & 0o777).toBe(0o600)
})

test('the columns are those that the page documents', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/parquet.md'), 'utf8')
  for (const table of ['events', 'texts', 'usage']) {
    const section = page.split(`### ${table}\n`)[1]?.split('\n##')[0] ?? ''
    const documented = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap((row) =>
      [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1]),
    )
    const columns = await duckRows(
      out,
      `DESCRIBE SELECT * FROM read_parquet('${table}/**/*.parquet', hive_partitioning = false)`,
    )
    expect(columns.map((row) => row['column_name']).sort(), table).toEqual(documented.sort())
  }
  const types = await duckRows(
    out,
    `DESCRIBE SELECT * FROM read_parquet('events/**/*.parquet', hive_partitioning = false)`,
  )
  const typeOf = new Map(types.map((row) => [row['column_name'], row['column_type']]))
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([A-Z]+) \|/gm)].filter(([, name]) => typeOf.has(name))
  expect(rows.length).toBeGreaterThan(15)
  for (const [, name, type] of rows) expect(`${name} ${String(typeOf.get(name))}`).toBe(`${name} ${type}`)
})

test('the ten queries of the page run and find something', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/parquet.md'), 'utf8')
  const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map((found) => found[1] ?? '')
  expect(queries).toHaveLength(10)
  const month = (await duckRows(out, `SELECT strftime(max(ts_wall), '%Y-%m') AS m FROM 'usage/**/*.parquet'`))[0]?.['m']
  for (const query of queries) {
    const rows = await duckRows(out, query.replace("'2026-11'", `'${String(month)}'`))
    expect(rows.length, query).toBeGreaterThan(0)
  }
})

heavily(test)(
  'each session is exported once if there are hundreds, also those that began at the same moment',
  async () => {
    const [many, to] = [join(folder.path, 'many'), join(folder.path, 'of-many')]
    mkdirSync(many, { mode: 0o700 })
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    const drafts = numbers.map((n) =>
      draftOf(
        'user_prompt',
        { text: `Prompt ${n}` },
        { at: momentOf(Math.floor(n / 120)), session_id: `s${n}`, keys: [`line:${n}`] },
      ),
    )
    fillStore(many, drafts)
    const { stdout } = await aspyHere(['export', '--parquet', to, '--data', many])
    expect(stdout).toMatch(/^Exported 250 sessions to .*: 250 events, 250 texts, 0 usage rows\.\n$/)
    const [found] = await duckRows(
      to,
      `SELECT count(*)::INT AS n, count(DISTINCT session_id)::INT AS s FROM 'events/**/*.parquet'`,
    )
    expect(found).toEqual({ n: 250, s: 250 })
  },
)

test('a second export replaces the first; a folder with anything else is refused', async () => {
  const again = await aspyHere(['export', '--parquet', out, '--data', data])
  expect(again.code).toBe(0)
  expect(readdirSync(out).sort()).toEqual(['aspy-export.json', 'events', 'texts', 'usage'])

  const other = join(folder.path, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'thesis.txt'), 'mine')
  const refused = await aspyHere(['export', '--parquet', other, '--data', data])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('contains thesis.txt')
  expect(readdirSync(other)).toEqual(['thesis.txt'])

  const mixed = await aspyHere(['export', '--parquet', out, '--format', 'jsonl', '--data', data])
  expect(mixed.stderr).toContain('--parquet cannot be combined')
})
