import { expect, test } from 'vitest'
import { DAY_MS } from '../../../shared/time-units.ts'
import { commandHead, errorKind, isAnswer, isPlain, ruledPart, type AskedCall } from '../../store/read/advice-events.ts'
import type { AdviceCall } from '../../store/read/advice-calls.ts'
import type { LargeOutput } from '../../store/read/advice-outputs.ts'
import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import type { advise } from '../advise.ts'
import type { Decisions } from '../decisions.ts'
import { advised, failure } from '../fixtures/advised.ts'

const asked = (day: number, text = 'npm test'): AskedCall => {
  const command = commandHead('Bash', { command: text })
  const of = { session_id: `s${day}`, event: day, at: day * DAY_MS, tool: 'Bash', command, text }
  return { ...of, text: ruledPart(text, '/work/app'), is_plain: true, approved: true, minutes: 30 }
}
const titles = (items: ReturnType<typeof advise>) => items.map(({ kind, fix }) => [kind, fix?.title])

test('tests that fail, and what passes later unchanged, is work; a run that cannot begin is not', () => {
  const fails = (command: string, error: string, more: Partial<AdviceSession> = {}) =>
    titles(advised(12, (day) => ({ failed: [failure(command, error, day)], ...more })))
  expect(fails('npm test', 'FAIL # failed')).toEqual([])
  expect(fails('npx vitest', 'Test Files # failed (#)')).toEqual([])
  for (const runner of ['python3 -m pytest -q', 'uv run pytest a', 'timeout 60 go test ./...', 'npm --prefix web test'])
    expect(fails(bash(runner).head, '# failed')).toEqual([])
  for (const task of [
    'mise run test:ci',
    'nx test',
    'just e2e',
    'gh pr checks 12',
    'gh run watch 12',
    'systemctl status a',
    'ruff check src',
  ])
    expect(fails(bash(task).head, '# failed')).toEqual([])
  const says = (command: string, error: string, folder = '') =>
    titles(
      advised(12, (day) => ({ failed: [{ ...failure(bash(command).head, error, day), input: folder + command }] })),
    )
  for (const check of ['bash scripts/run-tests.sh', './test.sh all', 'npx prettier --check .', 'cargo fmt --check'])
    expect(says(check, '# failed')).toEqual([])
  expect(says('git commit -m x', 'husky - pre-commit script failed (code #)')).toEqual([])
  expect(says('bash scripts/latest.sh', '# failed')).toHaveLength(1)
  expect(says('bash /w/test/app/deploy.sh', '# failed')).toHaveLength(1)
  expect(says('npm run build', '# failed', '/w/tests ')).toHaveLength(1)
  expect(fails(bash('source .venv/bin/activate && python -m pytest').head, 'No module named pytest')).toHaveLength(1)
  expect(fails('npm run build', 'TS#: not assignable', { passed: () => true })).toEqual([])
  expect(fails('npm test', 'npm error Missing script: …')).toHaveLength(1)
  expect(fails('npm run build', 'TS#: not assignable')).toEqual([
    ['failing_command', 'Say in CLAUDE.md how `npm run build` works here, or make it work'],
  ])
  expect(titles(advised(12, (day) => ({ failed: [failure('', 'not read yet', day, 'Edit')] })))).toEqual([
    ['failing_command', 'Say in CLAUDE.md what Edit needs'],
  ])
})

test('where a person has to sign in, no line of text is asked for', () => {
  const expired = '# Unauthorized: token expired'
  expect(titles(advised(12, (day) => ({ failed: [failure('', expired, day, 'mcp__jira__search')] })))).toEqual([
    ['failing_command', 'Sign in to what mcp__jira__search uses'],
  ])
})

test('an error is what says so, not what a program writes before it', () => {
  const kinds = (what: string) =>
    [
      `Exit code 1\n\n> app@1.0.0 build\n> tsc -p .\n\nsrc/a.ts(3,5): error TS2304: ${what}`,
      `Exit code 1\nTraceback (most recent call last):\n  File "/work/a.py", line 3, in <module>\n    main()\nValueError: ${what}`,
      `Exit code 101\n   Compiling app v0.1.0 (/work/app)\nerror[E0425]: ${what}\n --> src/main.rs:4:5`,
    ].map((error) => errorKind(error))
  const [one, other] = [kinds('the door is red'), kinds('no key fits')]
  expect(new Set([...one, ...other]).size).toBe(6)
  expect(one[1]).toBe('ValueError: the door is red')
  const gone = (file: string) => errorKind(`Exit code 2\nls: cannot access '/work/${file}': No such file or directory`)
  expect(gone('a/1.json')).not.toBe(gone('a/2.json'))
  const inTree = (tree: string, file: string) =>
    errorKind(`ENOENT: no such file or directory, open '${tree}${file}'`, tree)
  expect(inTree('/work/.worktrees/1', '/a/1.json')).toBe(inTree('/work/.worktrees/2', '/a/1.json'))
  expect(inTree('C:\\work\\.worktrees\\1', '\\a\\1.json')).toBe(inTree('C:\\work\\.worktrees\\2', '\\a\\1.json'))
  const codex = (id: string) => `Chunk ID: ${id}\nWall time: 0.05 seconds\nProcess exited with code 3\nOutput:\n`
  expect([errorKind(codex('ccc00d')), errorKind(`${codex('1b')}hello-tool`)]).toEqual(['', 'hello-tool'])
})

test('of a transcript, what is stored later may have been sent before: time decides which request pays', () => {
  const usual = {
    waste_usd: 0,
    pause_ms: null,
    is_hour: null,
    request_kind: null,
    searches: 0,
    cause: null,
    model: 'm',
  }
  const priced = {
    context_tokens: 1000,
    output_tokens: 10,
    wouldCost: () => 0.1,
    hourCosts: () => 0,
    hourSaves: () => 0,
  }
  const call = (day: number, id: number, second: number, more: object) => {
    const own = { id: day * 10 + id, session_id: `s${day}`, at: day * DAY_MS + second, agent_id: null, cost_usd: 1 }
    return { ...usual, ...priced, ...own, ...more } as unknown as AdviceCall
  }
  // The call that ran it has its usage after the result.
  const [failing] = advised(12, (day) => ({
    failed: [{ ...failure('npm run lint', 'no such option', day), at: day * DAY_MS + 5 }],
    calls: [call(day, 1, 1, {}), call(day, 2, 5, { cost_usd: 0.25 })],
  }))
  expect(failing?.usd_per_month).toBe(3)
  const agent = { agent_id: 'a' }
  const [agents] = advised(12, (day) => ({
    agents: [{ session_id: `s${day}`, agent_id: 'a', agent_type: 'scout', parent_agent_id: null }],
    calls: [call(day, 1, 1, {}), call(day, 2, 9, {}), call(day, 3, 3, agent), call(day, 4, 5, agent)],
  }))
  expect(agents).toMatchObject({ kind: 'costly_agents', opportunities: 12 })
})

test('what has stopped is not suggested any more', () => {
  const until = (last: number) =>
    advised(18, (day) => ({ failed: day < last ? [failure('npm run lint', 'no such option', day)] : [] }))
  expect(until(15)).toEqual([])
  expect(until(16)).toHaveLength(1)
  const carries = (last: number) =>
    advised(18, (day) => ({
      servers: day < last ? [{ server: 'idle', tools: ['mcp__idle__one'], usd: 0.1, call: day * 10 }] : [],
    }))
  expect(carries(15)).toEqual([])
  expect(carries(18)).toMatchObject([{ kind: 'carried_unused', opportunities: 18 }])
  const asks = (last: number) => advised(18, (day) => ({ asked: day < last ? [asked(day)] : [] }))
  expect(asks(15)).toEqual([])
  // A person who answers after half an hour was away, so only ten minutes of it count.
  expect(asks(18)).toMatchObject([{ kind: 'permissions', minutes_per_month: 180 }])
})

test('what nobody runs any more has stopped, too, after a week of work without it', () => {
  const until = (days: number) =>
    advised(days, (day) => ({
      failed: day < 12 ? [failure('npm run lint', 'no such option', day)] : [],
      ran: () => day < 12,
    }))
  expect(until(18)).toHaveLength(1)
  expect(until(19)).toEqual([])
})

test('a check that an option makes write is allowed in these very words, or not at all', () => {
  const rules = (text: string) =>
    advised(12, (day) => ({ asked: [asked(day, text)] })).map(({ fix }) => fix?.set?.[0]?.value)
  expect(rules('npx tsc --noEmit')).toEqual(['Bash(npx tsc --noEmit)'])
  expect(rules('eslint src/main')).toEqual(['Bash(eslint src/main)'])
  expect(rules('cd web && CI=1 npm run lint 2>&1 | tail -n 20')).toEqual(['Bash(npm run lint)'])
  expect(rules('npx vitest run src')).toEqual(['Bash(npx vitest run src)'])
  expect(rules('bin/rspec spec/models/door_spec.rb')).toEqual(['Bash(bin/rspec:*)'])
  expect(rules('./gradlew test')).toEqual(['Bash(./gradlew test)'])
  expect(rules('uv run pytest tests/unit -q')).toEqual(['Bash(uv run pytest:*)'])
  const reads = (tool: string) =>
    advised(12, (day) => ({ asked: [{ ...asked(day, ''), tool, is_plain: false }] })).map(
      ({ fix }) => fix?.set?.[0]?.value,
    )
  expect(reads('mcp__github__get_issue')).toEqual(['mcp__github__get_issue'])
  expect(reads('mcp__docs__get-library-docs')).toEqual(['mcp__docs__get-library-docs'])
  expect(reads('mcp__github__create_issue')).toEqual([])
  expect(reads('mcp__github__getaway')).toEqual([])
  for (const tool of [
    'mcp__db__get_or_create_user',
    'mcp__mail__search_and_delete',
    'mcp__fs__readWrite',
    'mcp__a__list_set',
  ])
    expect(reads(tool)).toEqual([])
  expect(reads('mcp__docs__getUpdates')).toEqual(['mcp__docs__getUpdates'])
  for (const text of ['npx tsc', 'eslint --fix', 'eslint . --fix', 'npm run lint -- --fix', 'npm run lint && git push'])
    expect(rules(text)).toEqual([])
  for (const text of ['npx vitest run -u', 'mvn test deploy', 'uv run deploy', 'python3 -m build'])
    expect(rules(text)).toEqual([])
})

test('another client has other settings, and reads AGENTS.md', () => {
  const fixOf = (tell: (day: number) => Partial<AdviceSession>) =>
    advised(12, (day) => ({ client: 'codex', ...tell(day) }))[0]?.fix
  const servers = [{ server: 'idle', tools: ['mcp__idle__one'], usd: 0.1, call: 1 }]
  const own = [expect.stringContaining('settings of Codex')]
  expect(fixOf(() => ({ servers }))).toEqual({ title: expect.stringContaining('idle'), steps: own })
  expect(fixOf((day) => ({ asked: [asked(day)] }))).toEqual({ title: expect.stringContaining('npm test'), steps: own })
  expect(fixOf((day) => ({ failed: [failure('npm run lint', 'no such option', day)] }))?.title).toContain('AGENTS.md')
})

test('another rhythm does not come from a fix: what happened counts as it was before', () => {
  const tell = (usd: (day: number) => number) => (day: number) => {
    const call = { id: day * 10 + 9, session_id: `s${day}`, at: day * DAY_MS, model: 'm', agent_id: null, cost_usd: 1 }
    const pause = { cause: 'ttl_expired', pause_ms: 600_000, waste_usd: usd(day), request_kind: 'loop', searches: 0 }
    const hour = { hourCosts: () => 0, hourSaves: () => 0.1, context_tokens: 1000, is_hour: null, changed_too: false }
    return { calls: [{ ...call, ...pause, ...hour } as unknown as AdviceCall] }
  }
  const [item] = advised(
    12,
    tell(() => 0.3),
  )
  const at = new Date(11.5 * DAY_MS).toISOString()
  const applied: Decisions = { [item?.id ?? '']: { state: 'applied', at, hits: 12, promised: 0.3, file: null } }
  for (const usd of [0.02, 0.9])
    expect(
      advised(
        42,
        tell((day) => (day < 12 ? 0.3 : usd)),
        applied,
      ),
    ).toMatchObject([{ state: 'no_effect' }])
})

test('after a fix, sessions without the question or the server show that it worked', () => {
  const tells: ((day: number) => Partial<AdviceSession>)[] = [
    (day) => ({ asked: day < 12 ? [asked(day)] : [] }),
    (day) => ({ servers: day < 12 ? [{ server: 'idle', tools: ['mcp__idle__one'], usd: 0.1, call: day * 10 }] : [] }),
  ]
  for (const tell of tells) {
    const [item] = advised(12, tell)
    const promised = (item?.usd_per_month ?? 0) > 0 ? 0.1 : 10
    const at = new Date(11.5 * DAY_MS).toISOString()
    const applied: Decisions = { [item?.id ?? '']: { state: 'applied', at, hits: 12, promised, file: null } }
    expect(advised(14, tell, applied)).toMatchObject([{ state: 'applied', checked: null }])
    expect(advised(22, tell, applied)).toMatchObject([{ state: 'worked', checked: { after: 0, n: 10 } }])
  }
})

test('small servers that were suggested together stay together, and one that was decided alone stays alone', () => {
  const carrying = (usd: number, ...names: string[]) => ({
    servers: names.map((server) => ({ server, tools: [`mcp__${server}__do`], usd, call: 1 })),
  })
  const decided = (item: ReturnType<typeof advise>[number] | undefined, state: 'applied' | 'dismissed'): Decisions => {
    const at = new Date(11.5 * DAY_MS).toISOString()
    const { id = '', servers } = item ?? {}
    return { [id]: { state, at, hits: 12, promised: 0.1, file: null, ...(servers === undefined ? {} : { servers }) } }
  }
  const found = (items: ReturnType<typeof advise>) =>
    items.map(({ state, servers = null, hits }) => [state, servers, hits])
  const [pair] = advised(12, () => carrying(0.019, 'bee', 'ant'))
  expect(pair?.servers).toEqual(['ant', 'bee'])
  const later = (day: number) => (day < 12 ? carrying(0.019, 'ant', 'bee') : carrying(0.019, 'cat', 'dog', 'eel'))
  expect(found(advised(24, later, decided(pair, 'applied')))).toEqual([
    ['open', ['cat', 'dog', 'eel'], 12],
    ['worked', ['ant', 'bee'], 12],
  ])
  const [alone] = advised(12, () => carrying(0.5, 'ant'))
  const dismissed = decided(alone, 'dismissed')
  expect(found(advised(12, () => carrying(0.019, 'ant', 'bee'), dismissed))).toEqual([['dismissed', null, 12]])
  expect(found(advised(12, () => carrying(0.019, 'ant', 'bee', 'cat'), dismissed))).toEqual([
    ['open', ['bee', 'cat'], 12],
    ['dismissed', null, 12],
  ])
})

test('a server that breaks the cache has its newest name, and none of one whose name it begins with', () => {
  const carried = (server: string, tool: string) => ({ server, tools: [`mcp__${server}__${tool}`], usd: 0, call: 1 })
  const missOf = (day: number, detail: string) => {
    const of = { id: day * 10 + 9, session_id: `s${day}`, at: day * DAY_MS, cost_usd: 1, waste_usd: 0.5 }
    return { ...of, cause: 'tools_changed', detail } as unknown as AdviceCall
  }
  const items = advised(12, (day) => ({
    servers: [carried(`api_${day < 6 ? 1 : 2}`, 'find'), carried('api_10', 'paint')],
    calls: [missOf(day, `added: mcp__api_${day % 2 === 0 ? 1 : 10}__find`)],
  }))
  expect(items.map(({ headline }) => headline.slice(0, 42)).toSorted()).toEqual([
    'The tools of the MCP server "api_10" chang',
    'The tools of the MCP server "api_2" change',
  ])
})

test('a large output: the text of a file is wanted; of what is looked through, less is asked for', () => {
  const step = (command: string, isAgent = false) =>
    advised(12, (day) => {
      const of = { session_id: `s${day}`, event: day * 10 + 9, tool: 'Bash', command, is_agent: isAgent, tokens: 9000 }
      const output: LargeOutput = { ...of, carriedUsd: () => 0.1 }
      return { outputs: [output] }
    })[0]?.fix?.steps[0]
  expect(step('git diff')).toContain('--stat')
  expect(step('npm run build')).toContain('| tail -n 40')
  expect(step('', true)).toContain('how long the answer may be')
})

const bash = (command: string) => ({ command, head: commandHead('Bash', { command }) })

test.each([
  ['npm test', true],
  ['npm test -- --bail 2>&1', true],
  ['npm test 2>&1 | tail -n 20', true],
  ['npm test > out.txt', false],
  ['npm test && git push', false],
  ['npm test; rm -rf x', false],
  ['cd /elsewhere && npm test', false],
  ['CI=1 npm test', true],
  ['PATH=x npm test', false],
  ['cd packages/a && npm test', true],
  ['cd /work/app/packages/a && npm test', true],
  ['cd /work/app/../x && npm test', false],
  ['cd .. && npm test', false],
  ['npm test > /dev/null', true],
  ['npm test -- $(cat names)', false],
  ['npm test | tee out.txt', false],
  ['npm test\nnpm publish', false],
])('a rule for its beginning allows all of `%s`: %s', (text, isAllowed) => {
  expect(isPlain(ruledPart(text, '/work/app'), bash(text).head)).toBe(isAllowed)
})

test.each([
  ['grep -rn x src', 'Exit code 1', true],
  ['git cherry-pick 12ab', 'Exit code 1\nerror: could not apply 12ab... Paint the door', true],
  ['git commit -m x', 'Exit code 1\nOn branch main\nnothing to commit, working tree clean', true],
  ['gh pr view', 'Exit code 1\nno pull requests found for branch "door"', true],
  ['npm view door', 'npm error code E404\nnpm error 404 Not Found - GET https://example.com/door', true],
  ['terraform plan', 'Exit code 2\nPlan: 2 to add, 1 to change, 0 to destroy.', true],
  ['terraform plan', 'Exit code 1\nError: No valid credential sources found', false],
  ['rg x', 'Exit code: 1', true],
  ['diff a b', 'Exit code 1\n< a', true],
  ['git diff --quiet', 'Process exited with code 1', true],
  ['npm --prefix web outdated', 'Exit code 1\nPackage  Current  Wanted', true],
  ['command -v podman', 'Exit code 1', true],
  ['kill -0 1234', 'Exit code 1\nkill: (1234) - No such process', true],
  ['timeout 20 grep -q x log', 'Exit code 1', true],
  ['git merge main', 'Exit code 1\nCONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed', true],
  ['git stash pop', 'Exit code 1\nAuto-merging a.ts\nCONFLICT (content): Merge conflict in a.ts', true],
  ['cat a.ts', '<tool_use_error>Sibling tool call errored</tool_use_error>', true],
  ['gh api repos/a/b', 'Exit code 1\ngh: Not Found (HTTP 404)', true],
  ['npm run dev', 'Exit code 124\nlistening on 3000', true],
  ['curl -f x', 'Request failed with status code 404', true],
  ['gh api repos/a/b', 'Exit code 1\ngh: Bad credentials (HTTP 401)', false],
  ['cat a.ts', 'Cancelled: parallel tool call Bash(cat b.ts) errored', true],
  ['git merge mian', 'Exit code 1\nmerge: mian - not something we can merge', false],
  ['grep x missing', 'Exit code 2\ngrep: missing: No such file', false],
  ['npm run lint', 'Exit code 1\nno', false],
  ['npm install', 'Exit code 1\nnpm error code ERESOLVE', false],
  ['git push', 'Exit code 1\nrejected', false],
])('the failure of `%s` with %j is an answer: %s', (text, error, isOne) => {
  expect(isAnswer(bash(text).head, error)).toBe(isOne)
})

test.each([
  ['python3 -m pytest tests/a.py -q', 'python3 -m pytest'],
  ['uv run python -m mypy src', 'uv run python -m mypy'],
  ['source .venv/bin/activate && pytest -x', 'pytest'],
  ['cd "/work/my app" && timeout 120 npm run e2e', 'npm run e2e'],
  ['git --no-pager -C /work/app diff', 'git diff'],
  ['make -C core lint', 'make lint'],
  ['cargo +nightly clippy', 'cargo clippy'],
  ['python manage.py migrate', 'python manage.py migrate'],
  ['make', 'make'],
])('`%s` runs `%s`', (text, head) => {
  expect(bash(text).head).toBe(head)
})

test('subcommands of subcommands are named', () => {
  const heads = ['gh pr view 12', 'gh run list', 'npm run lint', 'git diff a..b'].map((text) => bash(text).head)
  expect(heads).toEqual(['gh pr view', 'gh run list', 'npm run lint', 'git diff'])
})
