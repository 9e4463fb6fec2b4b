import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { describeNotes } from '../../../src/shared/recall-notes.ts'
import { recallContext, recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Texts as they are in sessions, and each pasted as somebody would type it into a search box. */
const PASTED: readonly (readonly [id: string, text: string, query: string])[] = [
  ['rm', 'I ran rm -rf dist before the build and it passed.', 'rm -rf dist'],
  ['commit', 'Commit it with git commit -m "wip" please.', 'git commit -m'],
  ['verify', 'Never push with --no-verify again.', '--no-verify'],
  ['grep', 'grep -rn "TODO" src --include=*.ts listed four lines.', 'grep -rn "TODO" src --include=*.ts'],
  ['docker', 'docker run -it --rm -v $PWD:/app node:24 bash worked.', 'docker run -it --rm -v $PWD:/app node:24 bash'],
  ['path', 'The fault is in src/main/store/database/open.ts:42.', 'src/main/store/database/open.ts:42'],
  ['hook', 'It printed session:start hook failed with status 2.', 'session:start hook failed'],
  ['model', 'The request named model:gpt-5, which does not exist here.', 'model:gpt-5'],
  [
    'stack',
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at toRow (/app/src/rows.ts:12:7)\n    at Array.map (<anonymous>)",
    "TypeError: Cannot read properties of undefined (reading 'id') at toRow (/app/src/rows.ts:12:7)",
  ],
  [
    'errno',
    'Error: listen EADDRINUSE: address already in use :::2779',
    'Error: listen EADDRINUSE: address already in use :::2779',
  ],
  ['code', 'if (a !== b && c >= 3) { return x => x + 1 }', 'if (a !== b && c >= 3) { return x => x + 1 }'],
  ['sql', 'SELECT id FROM orders WHERE paid_at IS NOT NULL AND total > 5', 'WHERE paid_at IS NOT NULL AND total > 5'],
  ['generic', 'Map<string, readonly Row[]>() is built first', 'Map<string, readonly Row[]>()'],
  ['rust', 'error[E0382]: use of moved value: `buf`', 'error[E0382]: use of moved value: `buf`'],
  ['sed', "sed -i 's/foo/bar/g' config.toml broke the file", "sed -i 's/foo/bar/g' config.toml"],
  [
    'curl',
    'curl -sS -X POST -H "content-type: application/json" localhost:2779/x',
    'curl -sS -X POST -H "content-type: application/json" localhost:2779/x',
  ],
  ['near', 'The parser said: fts5: syntax error near "AND"', 'fts5: syntax error near "AND"'],
  [
    'title',
    'The page "Moving the tariff tables" says that we round down at the border.',
    'what does "Moving the tariff tables" say on rounding',
  ],
]

let clock = Date.parse('2026-03-01T08:00:00Z')
const at = () => new Date((clock += 60_000)).toISOString()
const answer = (uuid: string, text: string, session_id: string, more = {}) =>
  draftOf('assistant_text', { text, message_id: uuid, index: 0 }, { at: at(), session_id, uuid, keys: [uuid], ...more })

const drafts = [
  // Texts that share words with the pasted text.
  ...Array.from({ length: 40 }, (_, index) =>
    answer(
      `filler-${index}`,
      `Session ${index}: the hook, the model and git start; commit ${index}, run node, grep rows, error, dist.`,
      'noise',
    ),
  ),
  ...PASTED.map(([id, text]) => answer(id, text, `pasted-${id}`)),
  answer('shop', 'The basket forgets its tariff.', 'aaaa-shop', {
    project: '/home/me/shop',
    at: '2026-03-04T10:00:00.000Z',
  }),
  answer('blog', 'The blog has a tariff page.', 'bbbb-blog', {
    project: '/home/me/blog',
    at: '2026-03-09T10:00:00.000Z',
  }),
  draftOf(
    'tool_call',
    { call_id: 'bash', tool_name: 'Bash', input: { command: 'pnpm dlx tariffcheck --fix' }, message_id: 'm', index: 0 },
    {
      at: '2026-03-04T11:00:00.000Z',
      session_id: 'aaaa-shop',
      uuid: 'bash',
      keys: ['call:bash'],
      project: '/home/me/shop',
    },
  ),
  answer('resolver', 'The resolver of the nameserver has a memoisation fault.', 'cccc'),
  answer(
    'read',
    'I would read the stack of the reason, then spawn the release and make the change in a flash.',
    'dddd',
  ),
]

let folder: TempFolder
let db: ReadableDb
let reader: ReturnType<typeof createReader>
beforeAll(() => {
  folder = makeTempFolder()
  db = openReader(fillStore(folder.path, drafts, 7))
  reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
})
afterAll(() => {
  db.close()
  folder.remove()
})

function ask(query: string, more: object = {}) {
  reader.budget.begin(1, 20_000)
  return readerHandlers['recall.search'](reader, recallSearch.input.parse({ query, ...more }))
}
const uuids = (query: string, more: object = {}) => ask(query, more).items.map(({ uuid }) => uuid)

describe('a search as people type it', () => {
  test.each(PASTED)('finds %s as pasted', (id, _, query) => {
    expect(uuids(query)[0]).toBe(id)
    expect(uuids(query, { prefix: true })).toContain(id)
  })

  test('finds a command that only the tool traffic has', () => {
    expect(uuids('pnpm dlx tariffcheck --fix')[0]).toBe('bash')
    expect(uuids('pnpm dlx tariffcheck --check')).not.toContain('bash')
  })

  test('offers to exclude what looks like a minus, and excludes by NOT and a quotation', () => {
    expect(ask('tariff -basket').notes?.minus_words).toEqual(['basket'])
    expect(uuids('tariff -basket')).toContain('shop')
    expect(uuids('tariff NOT basket')).not.toContain('shop')
    expect(uuids('tariff -"blog has"')).not.toContain('blog')
    expect(ask('tariff').notes).toBeUndefined()
  })

  test('narrows by folder name, start of a session, tool in any case, kind and day', () => {
    expect(uuids('tariff project:shop')).toEqual(['shop'])
    expect(uuids('tariff', { project: 'shop' })).toEqual(['shop'])
    expect(uuids('tariff session:bbbb')).toEqual(['blog'])
    expect(uuids('tariffcheck tool:bash')).toEqual(['bash'])
    expect(uuids('tool:BASH')).toEqual(['bash'])
    expect(uuids('kind:tool')).toEqual(['bash'])
    expect(uuids('kind:tool after:2026-03-05')).toEqual([])
    expect(uuids('kind:tool project:blog')).toEqual([])
    expect(uuids('kind:tool agent:main on:04.03.2026')).toEqual(['bash'])
    expect(uuids('tariff after:5 March 2026 kind:answer before:10.03.2026')).toEqual(['blog'])
  })

  test('excludes by any filter with NOT or a minus, also without words, and takes ranges of days', () => {
    const shopOrBlog = (query: string) => uuids(query).filter((id) => id === 'shop' || id === 'blog')
    expect(shopOrBlog('tariff -project:shop')).toEqual(['blog'])
    expect(shopOrBlog('tariff NOT project:shop')).toEqual(['blog'])
    expect(shopOrBlog('tariff -session:aaaa -Kind:Prompt')).toEqual(['blog'])
    expect(shopOrBlog('tariff -kind:answer')).toEqual([])
    expect(shopOrBlog('tariff -agent:main')).toEqual([])
    expect(uuids('tariffcheck -tool:bash', { tools: true })).not.toContain('bash')
    expect(uuids('pnpm dlx tariffcheck --fix -kind:tool')).not.toContain('bash')
    expect(uuids('project:shop -kind:tool')).toEqual(['shop'])
    expect(uuids('-project:blog -project:app', { limit: 20 })).toEqual(['shop'])
    expect(shopOrBlog('tariff -after:"5 March 2026"')).toEqual(['shop'])
    expect(shopOrBlog('tariff NOT before:5 March 2026')).toEqual(['blog'])
    expect(shopOrBlog('tariff on:2026-03-03..2026-03-05')).toEqual(['shop'])
    expect(shopOrBlog('tariff ON:"8 March 2026 .. 09.03.2026"')).toEqual(['blog'])
  })

  test('takes a minus before an unknown filter for an option, and a quotation or a percent sign in a value as typed', () => {
    expect(ask('tariff -project:nowhere').items.map(({ uuid }) => uuid)).toContain('shop')
    expect(uuids('tariff -x:y')).toContain('shop')
    for (const value of ["'", '%', '"', '"%"', "a'b", '\\\\', '()', '*']) {
      expect(ask(`tariff project:${value}`).items.map(({ project }) => project)).not.toContain(value)
      expect(uuids('tariff', { project: value }), value).toEqual([])
    }
    expect(ask('tariff', { project: '%', session_id: "a'b" }).notes?.unknown).toMatchObject([
      { name: 'project', value: '%', exists: expect.arrayContaining(['/home/me/shop']) },
      { name: 'session', value: "a'b" },
    ])
    expect(ask('tariff', { project: 'shop', session_id: 'aaaa' }).notes).toBeUndefined()
  })

  test('says what exists if a value is unknown, and finds nothing else instead', () => {
    const { items, notes } = ask('tool:Bush')
    expect(items).toEqual([])
    expect(notes?.as_text).toEqual([{ name: 'tool', value: 'Bush', exists: ['Bash'] }])
    expect(ask('project:nowhere').notes?.as_text[0]?.exists).toEqual(
      expect.arrayContaining(['/home/me/blog', '/home/me/shop']),
    )
    expect(uuids('project:nowhere')).toEqual([])
    expect(ask('kind:poem').notes?.as_text[0]?.exists).toContain('answer')
    expect(ask('???').items).toEqual([])
  })

  test('names the words that nothing recorded has, in a search and to a model', () => {
    const { items, notes } = ask('tariff xylophone')
    expect(items.length).toBeGreaterThan(0)
    expect([notes?.unknown_words, describeNotes(notes)]).toEqual([['xylophone'], ['Nothing recorded has "xylophone".']])
    expect(ask('tariff basket').notes).toBeUndefined()
    // A misspelt word has its own note, and so has a filter that is text.
    expect(ask('tarrif xylophone blog').notes?.unknown_words).toEqual(['xylophone'])
    expect(ask('tariff project:xylophone').notes?.unknown_words).toBeUndefined()
    expect(ask('tariff xylop', { prefix: true }).notes?.unknown_words).toEqual(['xylop'])
    expect(ask('tariff xylophone', { syntax: 'fts5' }).notes).toBeUndefined()
    reader.budget.begin(1, 20_000)
    const context = recallContext.input.parse({ query: 'tariff xylophone' })
    expect(readerHandlers['recall.context'](reader, context).text).toContain('Nothing recorded has "xylophone".')
  })

  test('corrects a spelling from the stored words, and searches it if nothing matches', () => {
    const { items, notes } = ask('nameservre')
    expect(items[0]?.uuid).toBe('resolver')
    expect(notes?.did_you_mean).toEqual({ query: 'nameserver', searched: true })
    expect(ask('memoistaion fautl').notes?.did_you_mean).toEqual({ query: 'memoisation fault', searched: true })
    expect(ask('blog tarrif').notes?.did_you_mean).toEqual({ query: 'blog tariff', searched: false })
    expect(ask('zzqxv').notes).toBeUndefined()
    // Only if it finds something under the same filters.
    expect(ask('nameservre', { project: 'shop' }).notes).toBeUndefined()
    expect(ask('nameservre basket project:shop').notes).toEqual({
      as_text: [],
      minus_words: [],
      unknown_words: ['nameservre'],
    })
    expect(ask('basket tarrif', { project: 'shop' }).notes?.did_you_mean?.query).toBe('basket tariff')
    // While it is typed, a word is misspelt only if no stored word begins with it.
    expect(ask('nmaeserver', { prefix: true }).notes?.did_you_mean).toEqual({ query: 'nameserver', searched: true })
    expect(ask('nameserv', { prefix: true }).notes).toBeUndefined()
  })

  test('leaves a plain word alone that nothing recorded has, and what nobody mistypes', () => {
    for (const query of [
      'sourdough bread',
      'shack',
      'season',
      'chance',
      'world',
      'spain',
      'relish',
      'queries',
      'flush',
    ]) {
      expect([uuids(query), ask(query).notes], query).toEqual([[], undefined])
    }
    // A letter missing, doubled, swapped, next to the right key, or a wrong vowel.
    for (const typed of ['relase', 'releasse', 'relesae', 'releaae', 'relaase', 'erlease']) {
      expect(ask(typed).notes?.did_you_mean, typed).toEqual({ query: 'release', searched: true })
    }
  })

  test('tells a model the same', () => {
    reader.budget.begin(1, 20_000)
    const { text } = readerHandlers['recall.context'](reader, recallContext.input.parse({ query: 'tool:Bush' }))
    expect(text).toContain('Nothing recorded has tool "Bush"')
    expect(text).toContain('Bash')
  })
})
