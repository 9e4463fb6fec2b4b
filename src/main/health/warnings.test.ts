import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../../shared/config.ts'
import type { WarningFix } from '../../shared/contract/health.ts'
import type { HealthFacts } from './health-facts.ts'
import { diskFix, folderFix, logFolderFix } from './warning.ts'
import { findWarnings } from './warnings.ts'

const processor = { name: 'tag', seen: 9, dropped: 0, errors: 3, disabled: null, late: 1, slowest_ms: 5 }
const sink = { target: 'there', delivered: 0, waiting: 2, dropped: { overflow: 1, refused: 1, too_large: 1 } }

/** The data folder of the facts, for a shell. */
const MINE = String.raw`'/it'\''s mine'`

/** The command of this clone, which is on no PATH in the tests. */
const ASPY = join(import.meta.dirname, '../../../bin/aspy')
const aspy = (command: string) => `${ASPY} ${command} --data ${MINE}`

/** Facts that cause every warning that can occur together. */
const TROUBLE = {
  run: {
    data: "/it's mine",
    tunnels: { hosts: ['api.anthropic.com'], handshakes_failed: { ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 1 } },
  },
  isRecordingOn: false,
  folderFault: 'The folder cannot be written.',
  isFolderRegained: false,
  replacedFiles: [{ name: 'mcp', movedTo: 'mcp.refused-00', why: 'it is a link' }],
  setAside: [{ name: 'lifestats.damaged.db', salvaged: null }],
  lostLogSince: null,
  configFault: null,
  isClockWrong: false,
  files: { state: 'intact', differing: [] },
  tap: { dropped: { queue_full: 1 }, lag: { oldest_ms: 0 } },
  recorder: {
    state: 'spooling',
    reason: 'disk full',
    fault: null,
    hooks_oldest_ms: 0,
    dropped: { decode_failed: 1, redaction_timeout: 1, spool_full: 1, session_log: 1, filtered: 1, other: 1 },
    unpriced_models: ['new-model'],
    processors: [processor, { ...processor, disabled: 'no answer' }],
  },
  sinks: [
    { ...sink, name: 'session_log', problem: 'disk full' },
    { ...sink, name: 'webhook', problem: 'it answered 503' },
    { ...sink, name: 'otel', problem: null },
  ],
} as unknown as HealthFacts

const fixes = findWarnings(TROUBLE).map(({ code, fix }) => [code, fix] as const)

test('a fix that names a setting names one that exists', () => {
  const config: Readonly<Record<string, object>> = configSchema.parse({})
  const settings = fixes.flatMap(([code, fix]) => (fix.kind === 'setting' ? [{ code, ...fix }] : []))
  expect(settings.length).toBeGreaterThan(8)
  for (const { code, section } of settings) expect(Object.keys(config), code).toContain(section)
  const keyed = settings.flatMap(({ code, section, key }) => (key === null ? [] : [{ code, section, key }]))
  expect(keyed.length).toBeGreaterThan(3)
  for (const { code, section, key } of keyed) expect(Object.keys(config[section] ?? {}), code).toContain(key)
})

test('a fix that is a command quotes the data folder for the shell', () => {
  const commands = fixes.flatMap(([code, fix]) => (fix.kind === 'command' ? [[code, fix.command]] : []))
  expect(Object.fromEntries(commands)).toEqual({
    tunnel_untrusted: aspy('doctor'),
    folder_unwritable: String.raw`chmod -R u+rwX '/it'\''s mine'`,
    key_replaced: aspy('setup'),
    database_set_aside: `${aspy('import')} ~/.claude/projects`,
    spooling: String.raw`df -h '/it'\''s mine'`,
    dropped_decode_failed: aspy('doctor'),
    dropped_spool_full: String.raw`df -h '/it'\''s mine'`,
    dropped_session_log: String.raw`ls -ld '/it'\''s mine' '/it'\''s mine/logs'; df -h '/it'\''s mine'`,
    dropped_other: aspy('doctor'),
    session_log_failing: String.raw`ls -ld '/it'\''s mine' '/it'\''s mine/logs'; df -h '/it'\''s mine'`,
  })
})

test('on Windows, a command is one of its own', () => {
  const [data, command] = [String.raw`C:\My data`, (fix: WarningFix) => fix.kind === 'command' && fix.command]
  expect([diskFix, folderFix].map((fix) => command(fix('', data, 'win32')))).toEqual([
    'fsutil volume diskfree C:',
    String.raw`icacls "C:\My data"`,
  ])
  expect(command(logFolderFix(data, 'win32'))).toBe(String.raw`icacls "C:\My data\logs"`)
})

test('wanted drops cause no warning, and only lost data is severe', () => {
  const warnings = findWarnings(TROUBLE)
  expect(warnings.map(({ code }) => code)).not.toContain('dropped_filtered')
  expect(warnings.filter(({ isSevere }) => isSevere).map(({ code }) => code)).toEqual([
    'folder_unwritable',
    'spooling',
    'dropped_decode_failed',
    'dropped_redaction_timeout',
    'dropped_spool_full',
    'dropped_other',
    'dropped_queue_full',
    'processor_disabled',
  ])
})

test('a fault of the recorder and repeated failure have a fix of their own', () => {
  const recorder = { ...TROUBLE.recorder, state: 'failed', fault: { code: 'newer_database', message: 'Too new.' } }
  const found = findWarnings({ ...TROUBLE, isRecordingOn: true, recorder } as HealthFacts)
  expect(found.find(({ code }) => code === 'newer_database')?.fix).toEqual({
    kind: 'text',
    text: 'Update Aspy, or choose another data folder with --data DIR.',
  })
  expect(found.find(({ code }) => code === 'recorder_failed')?.fix).toMatchObject({ command: aspy('doctor') })
})

test('files that differ from their package are named, with what that shows', () => {
  const differing = ['out/main/aspy.js', 'b', 'c', 'd']
  const found = findWarnings({ ...TROUBLE, files: { state: 'changed', differing } } as unknown as HealthFacts)
  const [warning] = found.filter(({ code }) => code === 'files_changed')
  expect(warning?.message).toBe('4 files of Aspy are not as in its package: out/main/aspy.js, b, c ….')
  expect(warning?.fix.text).toContain('not an attacker')
})

test('a recorder that is far behind says how much a kill would lose', () => {
  const behind = (exchange_ms: number, hook_ms: number) => {
    const recorder = { ...TROUBLE.recorder, hooks_oldest_ms: hook_ms }
    const tap = { dropped: {}, lag: { oldest_ms: exchange_ms } }
    const facts = { ...TROUBLE, isRecordingOn: true, recorder, tap } as unknown as HealthFacts
    return findWarnings(facts).filter(({ code }) => code === 'recorder_behind')
  }
  expect(behind(4900, 4900)).toEqual([])
  expect(behind(7200, 0)).toMatchObject([{ message: expect.stringContaining('7 s behind'), isSevere: false }])
  expect(behind(0, 7200)).toHaveLength(1)
})
