import { afterAll, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { withWholeNames } from '../../../src/main/operations/reader/whole-names.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { eventsRecent } from '../../../src/shared/contract/events.ts'
import { mcpTools } from '../../../src/shared/contract/mcp-tools.ts'
import { recallMonths, recallSearch, searchPrompts } from '../../../src/shared/contract/recall.ts'
import { sessionsList } from '../../../src/shared/contract/sessions.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Sessions by the folders that they went through, one prompt in each. */
const SESSIONS: { readonly [id: string]: readonly string[] } = {
  moved: ['/srv/repo', '/srv/repo/packages/api', '/srv/repo/.claude/worktrees/x', '/tmp/elsewhere'],
  begun: ['/srv/repo/.claude/worktrees/y', '/srv/repo/.claude/worktrees/y/src'],
  sub: ['/srv/repo/packages/api'],
  old: ['/srv/repo-old'],
  win1: [String.raw`w:\ferry`, String.raw`W:\ferry\lib`],
  win2: [String.raw`W:\Ferry`],
  win3: ['w:/ferry/'],
  win4: [String.raw`W:\ferry\.claude\worktrees\z`],
  bash: ['/w/ferry', '/mnt/w/Ferry'],
  share: [String.raw`\\NAS\docs`],
  share2: ['//nas/Docs'],
  case1: ['/srv/Shop'],
  case2: ['/srv/shop'],
}

const folder = makeTempFolder()
const prompts = Object.entries(SESSIONS).flatMap(([session_id, projects], minute) =>
  projects.map((project, second) => {
    const at = `2026-03-01T08:${String(minute).padStart(2, '0')}:0${second}.000Z`
    return draftOf(
      'user_prompt',
      { text: 'badger' },
      { at, session_id, project, keys: [at], uuid: `${session_id}${second}` },
    )
  }),
)
const db = openReader(fillStore(folder.path, prompts))
const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
const reader = createReader(db, budget)
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

const hitsIn = (project: string): string[] => {
  budget.begin(1, 20_000)
  const input = recallSearch.input.parse({ query: 'badger', project, limit: 50, order: 'time' })
  const months = recallMonths.input.parse({ query: 'badger', project })
  const uuids = readerHandlers['recall.search'](reader, input).items.map(({ uuid }) => uuid)
  // A list without words, too.
  const prompts = readerHandlers['prompts.search'](reader, searchPrompts.input.parse({ project, limit: 50 }))
  expect(prompts.items.map(({ uuid }) => uuid).toSorted()).toEqual(uuids.toSorted())
  expect(readerHandlers['recall.months'](reader, months).items).toMatchObject([{ hits: uuids.length }])
  return uuids.toSorted()
}
const uuidsOf = (...ids: readonly string[]) =>
  ids.flatMap((id) => (SESSIONS[id] ?? []).map((_, at) => `${id}${at}`)).toSorted()

test.for<readonly [project: string, ...uuids: readonly string[]]>([
  ['All', ...uuidsOf(...Object.keys(SESSIONS))],
  ['/srv/repo', ...uuidsOf('moved', 'begun')],
  ['repo', ...uuidsOf('moved', 'begun')],
  // What was recorded in a folder is found there, wherever its session began.
  ['/srv/repo/packages/api', 'moved1', 'sub0'],
  ['/tmp/elsewhere', 'moved3'],
  ['/srv/repo/.claude/worktrees/x', 'moved2'],
  ['/srv/repo/.claude/worktrees/y', ...uuidsOf('begun')],
  ...[String.raw`w:\ferry`, String.raw`W:\Ferry`, 'w:/ferry/', 'W:/FERRY', 'ferry', '/w/ferry', '/mnt/w/ferry'].map(
    (name) => [name, ...uuidsOf('win1', 'win2', 'win3', 'win4', 'bash')] as const,
  ),
  ['//NAS/docs/', ...uuidsOf('share', 'share2')],
  // Only Windows takes these for one.
  ['/srv/shop', ...uuidsOf('case2')],
  ['/srv/Shop', ...uuidsOf('case1')],
])('a search in %s covers its folder under all its names', ([project, ...uuids]) => {
  expect(hitsIn(project)).toEqual(uuids)
})

test.for([
  ['ferry', ['bash', 'win1', 'win2', 'win3', 'win4']],
  ['w:/FERRY', ['bash', 'win1', 'win2', 'win3', 'win4']],
  ['repo', ['begun', 'moved']],
  ['/srv/repo', ['begun', 'moved']],
  ['/srv/repo/.claude/worktrees/y', ['begun']],
  ['docs', ['share', 'share2']],
  // Not the projects within it.
  ['/w', []],
] as const)('sessions of %s are those of its folder under all its names', ([project, ids]) => {
  const input = withWholeNames(reader, 'sessions.list', sessionsList.input.parse({ project }))
  budget.begin(1, 20_000)
  const { items } = readerHandlers['sessions.list'](reader, input as never)
  expect(items.map(({ id }) => id).toSorted()).toEqual(ids)
})

test('a name of two folders is refused for a list of sessions', () => {
  expect(() => withWholeNames(reader, 'sessions.list', { project: 'shop' })).toThrow('means 2 projects')
})

test.for([
  ['/srv/repo/.claude/worktrees/x', '/srv/repo'],
  [String.raw`W:\ferry\.claude\worktrees\z\src`, String.raw`W:\ferry`],
  ['/srv/repo/packages/api', '/srv/repo/packages/api'],
  ['/.claude/worktrees/x', '/.claude/worktrees/x'],
] as const)('a model in %s searches %s, unless it names another', ([project, searched]) => {
  const { recallContext, memories } = mcpTools
  const caller = { project, session: null }
  const ask = { query: 'badger', limit: 5 }
  expect(recallContext.toInput({ ...ask, project: 'current' } as never, caller)).toMatchObject({ project: searched })
  expect(memories.toInput({ project: 'current' } as never, caller)).toMatchObject({ project: searched })
  expect(recallContext.toInput({ ...ask, project } as never, caller)).toMatchObject({ project })
})

test.each([
  [{ since: '2026-03-01T08:01', until: '2026-03-01T08:02:01', tz: 'UTC' }, ['sub0', 'begun1', 'begun0']],
  [
    { since: '2026-03-01T08:00:01', until: '2026-03-01T08:00:03', tz: 'UTC', project: '/srv/repo' },
    ['moved2', 'moved1'],
  ],
  [{ until: '2026-03-01T08:00:02', tz: 'UTC', project: '/srv/repo' }, ['moved1', 'moved0']],
  [{ since: '2026-03-01T08:00:02', tz: 'UTC', session_id: 'moved' }, ['moved3', 'moved2']],
])('the newest events of %o are those of its span', (asked, uuids) => {
  budget.begin(1, 20_000)
  const { items } = readerHandlers['events.recent'](reader, eventsRecent.input.parse(asked))
  // Prompts bring the ends of those before them, which have ids of their own and are of the span, too.
  expect(items.flatMap(({ uuid, kind }) => (kind === 'turn_ended' ? [] : [uuid]))).toEqual(uuids)
  const from = Date.parse(`${'since' in asked ? asked.since : '2026-01-01T00:00'}Z`)
  const until = Date.parse(`${'until' in asked ? asked.until : '2027-01-01T00:00'}Z`)
  const isOutside = ({ ts_wall, session_id }: (typeof items)[number]) =>
    Date.parse(ts_wall) < from || Date.parse(ts_wall) >= until || !uuids.some((uuid) => uuid.startsWith(session_id))
  expect(items.filter(isOutside)).toEqual([])
})
