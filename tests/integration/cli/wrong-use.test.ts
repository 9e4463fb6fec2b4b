import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTypedHere } from '../../../src/main/base/folder-of-run.ts'
import { asTyped } from '../../../src/main/base/typed-command.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { momentOf, surfaceHistory } from '../../support/app/surface-history.ts'
import { mayMount } from '../../support/runner/may-mount.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

let folder: TempFolder
beforeAll(() => {
  folder = makeTempFolder()
  fillStore(folder.path, surfaceHistory())
})
afterAll(() => folder.remove())

const asked = async (line: string) => {
  const { code, stdout, stderr } = await aspyHere([...line.split(' '), '--data', folder.path])
  return [code, stdout, stderr]
}

/** The commands that a sentence names, as they work in any terminal on this folder. */
const here = (said: string) => (/; see aspy |did you mean|--help/.test(said) ? said : withTypedHere(said, folder.path))

const WRONG: readonly (readonly [line: string, said: string])[] = [
  ['sesions', 'unknown command "sesions"; did you mean "sessions"?'],
  ['cost', 'unknown command "cost"; did you mean "receipt"?'],
  ['today', 'unknown command "today"; did you mean "receipt --since today"?'],
  ['foo', 'unknown command "foo"; run aspy --help for a list'],
  ['sessions -n 3', 'unknown option "-n"; did you mean "--limit"?'],
  ['status -n 3', 'unknown option "-n"; see aspy status --help'],
  ['config edit', 'too many words: edit; did you mean "aspy config set KEY VALUE"?'],
  ['top', 'unknown command "top"; did you mean "stats"?'],
  ['pork', 'unknown command "pork"; run aspy --help for a list'],
  ['rnu', 'unknown command "rnu"; did you mean "run"?'],
  ['version', 'unknown command "version"; did you mean "--version"?'],
  ['notices', 'unknown command "notices"; did you mean "config get notices"?'],
  ['pause', 'unknown command "pause"; did you mean "off"?'],
  ['uninstall', 'unknown command "uninstall"; did you mean "setup --undo"?'],
  ['help sesions', 'unknown command "sesions"; did you mean "sessions"?'],
  ['team joni', 'unknown command "joni"; did you mean "join"?'],
  ['file xyzzy', 'unknown command "xyzzy"; see aspy file --help'],
  ['sessions --limt 3', 'unknown option "--limt"; did you mean "--limit"?'],
  ['sessions --xyzzy', 'unknown option "--xyzzy"; see aspy sessions --help'],
  ['stats now', 'too many words: now; see aspy stats --help'],
  ['config budgets', 'too many words: budgets; did you mean "aspy config get budgets"?'],
  ['config guard.day_usd 5', 'too many words: guard.day_usd, 5; did you mean "aspy config set guard.day_usd 5"?'],
  ['session', '<id> is missing; see aspy session --help'],
  ['redact', '--past is missing: add it to apply the current rules to all stored data'],
  ['redact zebra', 'too many words: zebra; rules are applied, not words; see aspy redact --help'],
  ['recent --limit few', '--limit cannot be "few": give a number'],
  ['recent --limit 0', '--limit cannot be "0": give a number from 1'],
  ['recent --limit 1.5', '--limit cannot be "1.5": give a whole number'],
  ['recent --limit 9999', '--limit cannot be "9999": give a number up to 500'],
  [
    'sessions --since soonish',
    '--since cannot be "soonish": give a date (2026-11-21, 4 March, yesterday), an ISO time or an age (24h, 7d)',
  ],
  ['recent --kinds eror', '--kinds cannot be "eror": did you mean "error"?'],
  [
    'recent --kinds error,user_promt',
    '--kinds cannot be "error,user_promt": "user_promt" is not known; did you mean "user_prompt"?',
  ],
  ['slowest --by size', '--by cannot be "size": choose one of tool, kind'],
  ['status --port x', '--port cannot be "x": give a number from 0'],
  ['guard raise --to x', '--to cannot be "x": give a number'],
  ['stats --since 7d --until 30d', '--since cannot be "7d": it is after --until 30d'],
  ['stats --since 2999-01-01', '--since cannot be "2999-01-01": it is still to come'],
  ['stats --since tomorrow', '--since cannot be "tomorrow": it is still to come'],
  ['export --out --all', '--out needs a value; see aspy export --help'],
  ['export --out --al', '--out cannot be "--al": it looks like an option; for a file of that name, type ./--al'],
  ['export --session --format markdown', '--session needs a value; see aspy export --help'],
  ['recent --limit --json', '--limit needs a value; see aspy recent --help'],
  ['export 7579', 'too many words: 7579; for one session, add --session 7579'],
  ['backup /tmp/', '/tmp/ is a folder; name a file in it, such as /tmp/aspy.backup'],
  ['backup /tmp', '/tmp is a folder; name a file in it, such as /tmp/aspy.backup'],
  ['blame /dev/null', '/dev/null is not a plain file'],
  ['price', 'unknown command "price"; did you mean "receipt"?'],
  ['demo', 'unknown command "demo"; did you mean "--demo"?'],
  ['config reset guard.day_usd', 'too many words: reset, guard.day_usd; did you mean "aspy config unset KEY"?'],
  ['config list', 'too many words: list; did you mean "aspy config"?'],
  ['guard set day_usd 3', 'too many words: set, day_usd, 3; did you mean "aspy config set guard.day_usd 20"?'],
  ['config unset guard.day', 'unknown setting guard.day; did you mean guard.day_usd?'],
  ['-v', 'unknown option "-v"; did you mean "-V"?'],
  ['team share /no/folder', "there is no folder /no/folder; give the project's folder, as sessions name it"],
  ['guard rais', '"rais" is not a decision; use once, raise or stop'],
  ['team policy of', '<policy> cannot be "of": choose one of off, metadata, full; did you mean "off"?'],
  [
    'export --format json',
    '--format cannot be "json": choose one of jsonl, claude, markdown, html; did you mean "jsonl"?',
  ],
  ['export --format pdf', '--format cannot be "pdf": choose one of jsonl, claude, markdown, html'],
  ['import /no/where', 'there is no /no/where; nothing was imported'],
  ['export --out page.html', '--format html exports one session; choose it with --session ID'],
  [
    'config set guard.day_usd none',
    'guard.day_usd cannot be "none": give a number, or run aspy config unset guard.day_usd',
  ],
  ['config set guard.day_usd lots', 'guard.day_usd cannot be "lots": give a number'],
  ['config set proxy.port 70000', 'proxy.port cannot be 70000: give a number up to 65535'],
  ['config set app.close_to_tray maybe', 'app.close_to_tray cannot be "maybe": give true or false'],
  ['config set budgets.projects [{"usd":1}]', 'budgets.projects.0.project is missing: give a text'],
  [
    'config set webhook.url nowhere',
    'webhook.url cannot be "nowhere": an address that begins with http:// or https://',
  ],
  ['config get guard.day', 'unknown setting guard.day; did you mean guard.day_usd?'],
  ['config set theme dark', 'unknown setting theme; did you mean app.theme?'],
  [
    `receipt --compare ${import.meta.filename}`,
    `${import.meta.filename} holds no JSON object; write it with: ccusage daily --json > ${import.meta.filename}`,
  ],
  ['config get nonsense', 'unknown setting nonsense; aspy config lists all'],
  ['carry --blocks', '--blocks lists the blocks of one session: name it with --session ID'],
  [
    'config set guard.projects shop',
    `guard.projects cannot be "shop"; for one project: aspy config set guard.projects./path/of/project.day_usd 20; for all at once: aspy config set guard.projects '[{ project = "/path/of/project", day_usd = 20 }]'`,
  ],
  [
    'config set guard.projects.shop.day_usd 3',
    `guard.projects.shop.day_usd: no project of the list has this name; give its path, as in guard.projects.${resolve('shop')}.day_usd`,
  ],
  ['config set budgets.projects./shop.day_usd 3', 'budgets.projects./shop has no day_usd; did you mean daily_usd?'],
  ['config set guard.projects./x.dya_usd 3', 'guard.projects./x has no dya_usd; did you mean day_usd?'],
  ['config set guard.projects./x.day_tokens 1.5', 'guard.projects./x.day_tokens cannot be 1.5: give a whole number'],
  ['config unset redaction', 'redaction is a section, which cannot be unset as a whole; none of its settings is set'],
  ['config get budgts', 'unknown setting budgts; did you mean budgets?'],
  [
    'config set budgets 3',
    'budgets is a section; there is budgets.daily_usd, budgets.weekly_usd, budgets.monthly_usd, budgets.projects',
  ],
  ['config set guard.day_us 3', 'unknown setting guard.day_us; did you mean guard.day_usd?'],
  ['receipt --compare /no/file', 'there is no file /no/file; write it with: ccusage daily --json > /no/file'],
  ['backup /no/folder/file', 'there is no folder /no/folder; create it, or choose another file'],
  [
    'setup --claude-dir /no/folder',
    '/no/folder is not a folder; give that of Claude Code, by default ~/.claude. Nothing was changed',
  ],
]
test.each(WRONG)('aspy %s: exit code 2, and one line that says what to do', async (line, said) => {
  expect(await asked(line)).toEqual([2, '', `aspy: ${here(said)}\n`])
})

test.each([
  ['blame /no/file.ts', 'there is no file /no/file.ts, and nothing recorded touched it'],
  ['file history /no/file.ts', 'there is no file /no/file.ts, and nothing recorded touched it'],
  ['file show /no/file.ts', expect.any(String)],
  ['session 99999999', expect.any(String)],
  ['trace 99999999', expect.any(String)],
])('aspy %s: exit code 1, since what it names is missing', async (line, said) => {
  const [code, stdout, stderr] = await asked(line)
  expect([code, stdout, String(stderr).replace(/^aspy: (.*)\n$/, '$1')]).toEqual([1, '', said])
})

test('status of a folder that cannot be entered says so', async () => {
  const file = join(folder.path, 'lifestats.db')
  const said = `aspy: ${file} is not a folder that you may enter; choose yours with --data\n`
  expect(await aspyHere(['status', '--data', file])).toMatchObject({ code: 1, stdout: '', stderr: said })
})

test('times are shown in the zone in which they are asked for', async () => {
  const hourOf = async (zone: string) =>
    / (\d\d):\d\d\b/.exec(String((await asked(`recent --limit 1 --tz ${zone}`))[1]))?.[1]
  const [here, there] = [await hourOf('UTC'), await hourOf('Asia/Tokyo')]
  expect(Number(there)).toBe((Number(here) + 9) % 24)
})

test('a text for a model says beside itself that its times are UTC', async () => {
  const { stderr } = await aspyHere(['resume', '--data', folder.path], { TZ: 'Asia/Kolkata' })
  expect(stderr).toBe('The times in this text are UTC; on this machine it is UTC+05:30.\n')
})

test('a group of commands takes the folder before its command', async () => {
  const { stdout } = await aspyHere(['file', '--data', folder.path, 'history', 'package.json'])
  expect(stdout).toMatch(/^Nothing recorded touched/)
  const { stderr } = await aspyHere(['team', '--data', folder.path, 'status'])
  expect(stderr).toMatch(/joined no team/)
})

test('an unknown session was not merely never compacted', async () => {
  const [, , latest] = await asked('session latest')
  expect(latest).toMatch(
    /^aspy: there is no session latest; \S*aspy sessions .*lists the most recently active first\n$/,
  )
  expect(await asked('dropped xyzzy')).toEqual([1, '', 'aspy: there is no session xyzzy\n'])
})

test('an id that begins several things is one line with short ids to choose from', async () => {
  const [code, stdout, stderr] = await asked('trace 0')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^aspy: 0 is ambiguous; give more of it. It begins the events \S+, .*\n$/)
})

test('a file without a record is an error, because the output may go to a file', async () => {
  const [code, stdout, stderr] = await asked('file show nothing.ts')
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/nothing recorded touched .*nothing\.ts/)])
  expect((await asked('file show nothing.ts --json'))[0]).toBe(0)
})

test('run --help says what a run changes', async () => {
  const { stdout } = await aspyHere(['run', '--help'])
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /no settings of the client change, .* removed at its end\. .* recorded stays\./,
  )
})

test('a session says how it goes on, in its folder and recorded', async () => {
  using own = makeTempFolder()
  const id = '0199c2d4-1111-4222-8333-444455556666'
  const of = (session_id: string) =>
    draftOf('user_prompt', { text: 'Hi' }, { at: momentOf(0), session_id, keys: [session_id], project: "/it's/a" })
  fillStore(own.path, [of(id), of(`codex-${id}`), of('s-none')])
  const resumes = async (session: string) =>
    (await aspyHere(['session', session, '--data', own.path])).stdout
      .split('\n')
      .filter((line) => / (?:claude|codex) .*res/.test(line))
  const there = String.raw`cd '/it'\''s/a' && `
  expect(await resumes('0199c2d4')).toEqual([
    `  ${there}claude --resume ${id}`,
    `  ${there}${asTyped('aspy run')} --data ${own.path} -- claude --resume ${id}`,
  ])
  expect(await resumes('codex-0199c2d4')).toEqual([
    `  ${there}codex resume ${id}`,
    `  ${there}${asTyped('aspy run')} --data ${own.path} -- codex resume ${id}`,
  ])
  expect(await resumes('s-none')).toEqual([])
})

test('a setting is set, and unset again', async () => {
  expect(await asked('config set files.watch_changes true')).toEqual([
    0,
    here('files.watch_changes = true; to apply it, run aspy setup again\n'),
    '',
  ])
  expect((await asked('config unset files.watch_changes'))[1]).toMatch(/^files\.watch_changes = false \(the default\)/)
  expect((await asked('config get files.watch_changes'))[1]).toBe('false\n')
})

test('config set takes one value of a project, and a list as in the config file', async () => {
  const shop = { project: '/home/me/my.shop', day_usd: 5 }
  const text = (...projects: readonly object[]) => `guard.projects = ${JSON.stringify(projects)}`
  expect((await asked('config set guard.projects./home/me/my.shop.day_usd 5'))[1]).toContain(text(shop))
  expect((await asked('config set guard.projects.my.shop.session_usd 2'))[1]).toContain('"session_usd":2')
  expect((await asked('config unset guard.projects.my.shop.session_usd'))[1]).toContain(text(shop))
  expect((await asked('config unset guard'))[2]).toContain('; unset one by one what is set now: guard.projects\n')
  expect((await asked('config set guard.projects./no/shop.day_usd 5'))[2]).toContain('there is no folder /no/shop: ')
  expect((await asked('config unset guard.projects./no/shop.day_usd'))[2]).toBe('')
  const toml = 'config set guard.projects [{project="/a",day_usd=7}]'
  expect((await asked(toml))[1]).toContain(text({ project: '/a', day_usd: 7 }))
  expect((await asked('config unset guard.projects./a.day_usd'))[1]).toContain(text())
})

test('config get prints the value of one setting', async () => {
  expect(await asked('config get guard.hold_seconds')).toEqual([0, '240\n', ''])
  expect(await asked('config get guard.hold_secnds')).toEqual([
    2,
    '',
    'aspy: unknown setting guard.hold_secnds; did you mean guard.hold_seconds?\n',
  ])
})

test('config get lists a section', async () => {
  const [code, stdout, stderr] = await asked('config get guard')
  expect([code, stderr]).toEqual([0, ''])
  expect(
    String(stdout)
      .match(/^\w+\.\w+/gm)
      ?.filter((key) => !key.startsWith('guard.')),
  ).toEqual([])
  expect(stdout).toMatch(/^guard\.hold_seconds +240 /m)
})

test('an empty search is a missing one', async () => {
  const { code, stderr } = await aspyHere(['recall', '', '--data', folder.path])
  expect([code, stderr]).toEqual([2, 'aspy: <query> is missing; see aspy recall --help\n'])
})

test('budget tells every budget that is set', async () => {
  const env = { ASPY_BUDGETS_DAILY_USD: '5', ASPY_BUDGETS_MONTHLY_USD: '50' }
  const { stdout } = await aspyHere(['budget', '--data', folder.path], env)
  expect(stdout).toMatch(/^Budget: \$50\.00, .* spent$/m)
  expect(stdout).toMatch(/^Budget of this day: \$5\.00, \$.* spent$/m)
})

test('a refused setup leaves no plugin', () => {
  expect(existsSync(join(folder.path, 'mcp'))).toBe(false)
})

test('a session is not deleted by the id of an event', async () => {
  const { stdout } = await aspyHere(['recent', '--limit', '1', '--json', '--data', folder.path])
  const [event] = (JSON.parse(stdout) as { items: { uuid: string; session_id: string }[] }).items
  const deleted = await asked(`delete ${event?.uuid} --yes`)
  expect(deleted).toEqual([2, '', expect.stringContaining(`give eight characters or all of ${event?.session_id}`)])
})

test('on a narrow terminal, an error of the parser and the lines of a replay break between words', async () => {
  const { stdout: out, stderr: errors } = process
  const before = [out.columns, errors.columns]
  try {
    Object.assign(out, { columns: 40 })
    Object.assign(errors, { columns: 40 })
    expect(await asked('sessions --xyzzy')).toEqual([
      2,
      '',
      'aspy: unknown option "--xyzzy"; see aspy\nsessions --help\n',
    ])
    const { stdout } = await aspyHere(['recent', '--limit', '1', '--json', '--data', folder.path])
    const [event] = (JSON.parse(stdout) as { items: { session_id: string }[] }).items
    const [, said = ''] = await asked(`replay ${event?.session_id}`)
    expect(String(said).split('\n').length).toBeGreaterThan(2)
    for (const line of String(said).split('\n'))
      expect(line.replace(/  [\da-f-]{36}$|^ +\S+$/, '').length).toBeLessThan(41)
  } finally {
    Object.assign(out, { columns: before[0] })
    Object.assign(errors, { columns: before[1] })
  }
})

test('on a terminal, lists of events show ids as short as they can be typed, and no JSON', async () => {
  const { stdout: out } = process
  const { columns, isTTY } = out
  const { items } = JSON.parse(String((await asked('recent --json'))[1])) as { items: { session_id: string }[] }
  const lines = ['timeline', 'replay'].map((command) => `${command} ${items[0]?.session_id}`)
  try {
    Object.assign(out, { columns: 200, isTTY: true })
    for (const line of [...lines, 'recent', 'sessions'])
      expect(/^$|.*(?:[\da-f]{8}(?:-[\da-f]{4}){3}-|\{").*/.exec(String((await asked(line))[1]))).toBeNull()
  } finally {
    Object.assign(out, { columns, isTTY })
  }
})

test('an empty store says that nothing is recorded, not that other words would find it', async () => {
  using empty = makeTempFolder()
  fillStore(empty.path, [])
  const said = async (line: string) => {
    const { stdout, stderr } = await aspyHere([...line.split(' '), '--data', empty.path])
    return stdout + stderr
  }
  expect(await said('recall vite')).toMatch(/^Nothing is recorded yet\.\n/)
  expect(await said('timeline')).toBe('aspy: no session is recorded yet\n')
})

test('a name that nothing has is named, and a turn without events says so', async () => {
  expect(await asked('sessions --model opus')).toEqual([
    0,
    'No matches.\n',
    expect.stringMatching(/^aspy: Nothing is recorded of model "opus"\. There is: claude-sonnet-5-5/),
  ])
  const { items } = JSON.parse(String((await asked('sessions --json'))[1])) as {
    items: { id: string; project: string }[]
  }
  expect(await asked(`replay ${items[0]?.id} --turn 9999`)).toEqual([0, 'No matches.\n', ''])
  const project = items.find(({ project: one }) => one !== null)?.project ?? ''
  const spentIn = async (name: string) => {
    const { project: found, previous } = JSON.parse(String((await asked(`budget --project ${name} --json`))[1]))
    return { found, previous }
  }
  expect(await spentIn(basename(project))).toEqual(await spentIn(project))
})

test('a backup that is imported says what reads it', async () => {
  const said = String((await asked(`import ${join(folder.path, 'lifestats.db')}`))[2])
  expect(said).toMatch(/aspy restore .*reads it, if it is a backup/)
})

test('bold is for terminals that have it', async () => {
  const { stdout: out } = process
  const { isTTY } = out
  try {
    out.isTTY = true
    const printed = async (env: Record<string, string>) =>
      (await aspyHere(['recall', 'theme', '--data', folder.path], env)).stdout.includes('\u001b[')
    expect([
      await printed({ TERM: 'xterm' }),
      await printed({ TERM: 'dumb' }),
      await printed({ NO_COLOR: '1' }),
    ]).toEqual([true, false, false])
  } finally {
    out.isTTY = isTTY
  }
})

test('a bundle that an older Node runs says which one it needs', () => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
  const args = ['--import', `data:text/javascript,${older}`, ASPY_ENTRY, 'sessions', '--data', '/none']
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^aspy: Node 24 is required, but this is v[^\n]*bin\/aspy[^\n]*\n$/),
  })
})

test.skipIf(!mayMount())('a full disk is not wrong use: exit code 1', async () => {
  using full = makeTempFolder('aspy-full-')
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', full.path])
  const written = (command: string) => asked(`${command} ${join(full.path, 'file')}`)
  const [exported, backup] = [await written('export --out'), await written('backup')]
  spawnSync('umount', [full.path])
  expect([exported, backup]).toEqual([
    [1, '', expect.stringContaining('ENOSPC. The part written was removed')],
    [1, '', expect.stringContaining('cannot be written: database or disk is full')],
  ])
})
