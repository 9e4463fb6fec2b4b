import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { examine, withoutProxy, type Finding } from './checks.ts'
import { KNOWN_CLIENT, type DoctorFacts } from './facts.ts'
import { isServed } from './gather-facts.ts'

const well: DoctorFacts = {
  nodeVersion: 'v24.21.0',
  dataDir: '/data',
  modes: [{ path: '/data', mode: 0o700, wanted: 0o700 }],
  app: { pid: 7, appUrl: 'http://127.0.0.1:2780', proxyUrl: 'http://127.0.0.1:2779', warnings: [] },
  impostor: null,
  isPassedOn: false,
  takenPorts: [],
  proxyUrl: 'http://127.0.0.1:2779',
  baseUrl: null,
  assumed: { isAssumed: false, isFirstParty: true, isKnown: true },
  networkProxy: null,
  tunnel: null,
  plugins: [{ folder: '/home/me/.claude/skills/aspy', isCurrent: true }],
  maySearch: true,
  settingsWithHooks: [],
  unreadableSettings: [],
  cloud: null,
  upstream: 'https://api.anthropic.com',
  showsThinking: true,
  freeBytes: 50 * 1024 ** 3,
  database: { path: '/data/lifestats.db', bytes: 4096, fault: null, isWhole: true, isText: false, isRefused: false },
  client: { path: '/bin/claude', version: KNOWN_CLIENT },
}

test('a healthy setup has no fixes', () => {
  for (const finding of examine(well)) expect(finding).toMatchObject({ verdict: 'ok', mend: null })
})

const assumed = (isAssumed: boolean, isFirstParty: boolean, isKnown: boolean | null) => ({
  isAssumed,
  isFirstParty,
  isKnown,
})
const takenPort = (port: number, isChosen: boolean) => ({ setting: 'app', flag: '--port', port, isChosen })
const ours = { url: 'http://127.0.0.1:2779/', from: '/home/me/.claude/settings.json', isServed: true }
const cases: readonly (readonly [string, Partial<DoctorFacts>, Finding['verdict'], RegExp, RegExp | null])[] = [
  ['node', { nodeVersion: 'v20.11.1' }, 'failure', /v20\.11\.1 is too old/, /Node 24/],
  [
    'data folder',
    { modes: [{ path: '/data/token', mode: 0o644, wanted: 0o600 }] },
    'failure',
    /other users.*\/data\/token/,
    /^chmod 600 '\/data\/token'$/,
  ],
  ['data folder', { modes: [{ path: '/data/token', mode: 0o400, wanted: 0o600 }] }, 'ok', /\/data/, null],
  ['app', { app: null }, 'note', /no app is running/, /aspy run/],
  [
    'app',
    { app: { pid: 7, appUrl: 'a', proxyUrl: null, warnings: [{ message: 'spooling', fix: 'make room' }] } },
    'warning',
    /spooling/,
    /make room/,
  ],
  [
    'app',
    { app: null, impostor: 'the program on port 2780 cannot prove it' },
    'failure',
    /cannot prove/,
    /doctor again/,
  ],
  ['first party', { baseUrl: ours }, 'warning', /leaves out .*cache diagnosis/, /^aspy setup --base-url$/],
  ['first party', { baseUrl: ours, assumed: assumed(true, true, true) }, 'ok', /what it sends without/, null],
  ['first party', { baseUrl: ours, assumed: assumed(true, true, null) }, 'ok', /what it sends without/, null],
  ['first party', { baseUrl: ours, assumed: assumed(true, true, false) }, 'warning', /does not know _CLAUDE/, /update/],
  ['first party', { baseUrl: ours, assumed: assumed(true, false, true) }, 'warning', /it is another/, /--no-assume/],
  ['first party', { baseUrl: ours, assumed: assumed(false, false, true) }, 'ok', /gateway/, null],
  ['first party', { assumed: assumed(false, true, false) }, 'warning', /aspy run.*too old/, /update/],
  ['first party', { assumed: assumed(false, false, false) }, 'ok', /aspy run decides/, null],
  ['app', { isPassedOn: true }, 'warning', /unrecorded/, /aspy restart/],
  ['ports', { takenPorts: [takenPort(2780, true)] }, 'failure', /2780/, /--port N/],
  [
    'ports',
    { takenPorts: [takenPort(2780, false)] },
    'note',
    /2780/,
    /^aspy, aspy run, aspy serve and aspy setup take others/,
  ],
  ['ports', { takenPorts: [takenPort(1, false), takenPort(2, true)] }, 'failure', /1 .* and 2 /, /--port N/],
  ['base URL', { baseUrl: ours }, 'ok', /every client/, null],
  [
    'base URL',
    { baseUrl: { ...ours, isServed: false } },
    'failure',
    /nothing is listening/,
    /aspy serve.*setup --undo/,
  ],
  [
    'base URL',
    { baseUrl: { url: 'http://127.0.0.1:9', from: 'the environment', isServed: false } },
    'failure',
    /the environment sends/,
    /unset ANTHROPIC_BASE_URL/,
  ],
  [
    'base URL',
    { baseUrl: { url: 'http://127.0.0.1:9', from: '/s.json', isServed: false, isOfAspy: true } },
    'failure',
    /nothing is listening/,
    /an Aspy that is gone.* run aspy off$/,
  ],
  [
    'base URL',
    { baseUrl: { url: 'https://gateway.example', from: 'the environment', isServed: null } },
    'note',
    /bypasses Aspy/,
    /aspy run/,
  ],
  [
    'network proxy',
    { networkProxy: { variable: 'HTTPS_PROXY', skipsLoopback: false } },
    'warning',
    /HTTPS_PROXY/,
    /NO_PROXY="\$NO_PROXY,127/,
  ],
  ['network proxy', { networkProxy: { variable: 'HTTPS_PROXY', skipsLoopback: true } }, 'ok', /HTTPS_PROXY/, null],
  ['plugin', { plugins: [] }, 'note', /not installed/, /aspy setup/],
  [
    'plugin',
    { plugins: [{ folder: '/p', isCurrent: false }] },
    'failure',
    /out of date in \/p: the port/,
    /aspy setup/,
  ],
  [
    'plugin',
    { plugins: [{ folder: '/p', isCurrent: false, differsByWatch: true }] },
    'failure',
    /: files\.watch_changes has changed/,
    /aspy setup/,
  ],
  [
    'permission',
    { maySearch: false },
    'note',
    /asks whether .*"mcp__plugin_aspy_aspy" into permissions\.allow .*settings\.json$/,
    null,
  ],
  ['permission', {}, 'ok', /without asking/, null],
  ['permission', { plugins: [] }, 'ok', /not needed/, null],
  [
    'hooks',
    { plugins: [...well.plugins, { folder: '/project/.claude/skills/aspy', isCurrent: null }] },
    'warning',
    /twice/,
    /remove \/project/,
  ],
  ['hooks', { settingsWithHooks: ['/s.json'] }, 'warning', /\/s\.json contains hooks/, /remove them/],
  ['settings', { unreadableSettings: ['/s.json'] }, 'failure', /not valid JSON/, /the file/],
  ['cloud', {}, 'ok', /none; requests go to the API$/, null],
  ['cloud', { upstream: 'http://127.0.0.1:46019' }, 'ok', /none; requests go to http:\/\/127\.0\.0\.1:46019$/, null],
  ['cloud', { cloud: 'Amazon Bedrock' }, 'warning', /Amazon Bedrock/, /aspy import/],
  [
    'thinking',
    { showsThinking: false },
    'note',
    /the API sends no text .* no thinking to recall/,
    /^nothing, unless .*setup --thinking/,
  ],
  ['disk space', { freeBytes: 0.5 * 1024 ** 3 }, 'warning', /512 MB/, /free disk space/],
  ['disk space', { freeBytes: 1024 }, 'failure', /1 KB/, /free disk space/],
  [
    'database',
    { database: { path: '/d', bytes: 1, fault: 'malformed', isWhole: false, isText: false, isRefused: false } },
    'failure',
    /\/d: malformed/,
    /moves it aside/,
  ],
  [
    'database',
    { database: { path: '/d', bytes: 1, fault: 'malformed', isWhole: false, isText: true, isRefused: false } },
    'failure',
    /malformed/,
    /aspy rebuild/,
  ],
  [
    'database',
    { database: { path: '/d', bytes: 1, fault: 'it is a link', isWhole: false, isText: false, isRefused: true } },
    'failure',
    /^it is a link$/,
    /leaves it as it is/,
  ],
  ['database', { database: null }, 'note', /nothing is recorded/, null],
  ['client', { client: null }, 'note', /not on your PATH/, /npm install/],
  ['client', { client: { path: '/c', version: null } }, 'warning', /\/c/, /--version/],
  ['client', { client: { path: '/c', version: '2.1.1000' } }, 'note', /newer than/, null],
  ['client', { client: { path: '/c', version: '1.9.999' } }, 'ok', /1\.9\.999/, null],
]

test.each(cases)('%s: %o is a %s', (check, facts, verdict, said, mend) => {
  const findings = examine({ ...well, ...facts })
  const found = findings.find((finding) => finding.check === check)
  expect(found).toMatchObject({
    verdict,
    said: expect.stringMatching(said),
    mend: mend === null ? null : expect.stringMatching(mend),
  })
})

test('an address that is served is so on a machine that is busy, too', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const served = isServed(`http://127.0.0.1:${port}`)
  // This process gets no time while the system connects.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100)
  expect(await served).toBe(true)
  server.close()
  await once(server, 'close')
  expect(await isServed(`http://127.0.0.1:${port}`)).toBe(false)
})

test('what to type on Windows is for its own shells', () => {
  expect(withoutProxy('win32')).toContain('$env:NO_PROXY += ",127.0.0.1"')
})
