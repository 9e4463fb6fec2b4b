import { expect, test } from 'vitest'
import { noticeCommand } from './desktop-notice.ts'
import { isInTime, KeeperTrouble } from './keeper-trouble.ts'

/** The start of an app that ended at once, and of one that served for long. */
const QUICK = { startedAt: performance.now() + 1e9, hasServed: false }
const SERVED = { ...QUICK, hasServed: true }
const LONG = { startedAt: -1e9, hasServed: true }
const FAILED = { code: 1, signal: null }
const KILLED = { code: null, signal: 'SIGKILL' } as const
const CRASHED = { code: null, signal: 'SIGSEGV' } as const

test('an app that ends soon is started later and later, and counts as gone after three starts', () => {
  const trouble = new KeeperTrouble(() => null)
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => trouble.ended(QUICK, FAILED, false) / 1000)).toEqual([
    1, 2, 4, 8, 16, 32, 60, 60,
  ])
  expect([trouble.lasting(false), trouble.lasting(true)]).toEqual(['no_start', null])
  expect(trouble.ended(LONG, FAILED, false)).toBe(0)
  expect([trouble.quickEnds, trouble.lasting(false)]).toEqual([0, null])
  trouble.ended(QUICK, FAILED, false)
  trouble.ended(QUICK, FAILED, false)
  expect(trouble.lasting(false)).toBeNull()
})

test('an app that is killed is started within a second, however often; one that crashes by itself is not', () => {
  const trouble = new KeeperTrouble(() => null)
  const waits = (app: typeof SERVED, end: typeof FAILED | typeof KILLED | typeof CRASHED) =>
    Array.from({ length: 5 }, () => trouble.ended(app, end, false) / 1000)
  expect(waits(SERVED, KILLED)).toEqual([0, 0, 0, 0, 0])
  expect([trouble.quickEnds, trouble.lasting(false)]).toEqual([0, null])
  expect(waits(QUICK, KILLED)).toEqual([1, 1, 1, 1, 1])
  expect(trouble.lasting(false)).toBe('no_start')
  expect(waits(SERVED, { code: 0, signal: null })).toEqual([0, 0, 0, 0, 0])
  trouble.ended(QUICK, { code: 0, signal: null }, false)
  expect(trouble.ended(SERVED, KILLED, false)).toBe(0)
  expect(waits(SERVED, CRASHED)).toEqual([1, 2, 4, 8, 16])
})

test('connections wait for an app that is started at once or a second later, and for no later one', () => {
  expect([0, 1000, 2000, 60_000].map(isInTime)).toEqual([true, true, false, false])
})

test('the person learns it once, and again only after an app has served for long', async () => {
  const trouble = new KeeperTrouble(() => null)
  trouble.ended(QUICK, FAILED, false)
  expect([await trouble.tell(), await trouble.tell()]).toEqual([false, true])
  trouble.ended(QUICK, FAILED, false)
  expect(await trouble.tell()).toBe(true)
  trouble.ended(LONG, FAILED, false)
  expect([await trouble.tell(), await trouble.tell()]).toEqual([false, true])
})

test('a notice is shown by what each system has', () => {
  expect(noticeCommand('A', 'B.', 'linux')).toEqual(['notify-send', '--app-name=Aspy', 'A', 'B.'])
  expect(noticeCommand('A', 'B.', 'darwin')).toEqual(['osascript', '-e', 'display notification "B." with title "A"'])
  const [program, ...args] = noticeCommand('A', 'B.', 'win32')
  expect([program, args.at(-1)]).toEqual(['powershell.exe', expect.stringContaining("ShowBalloonTip(10000, 'A', 'B.'")])
  // A folder may have them in its name.
  expect(noticeCommand('A', `it's "B"`, 'darwin')[2]).toBe(String.raw`display notification "it's \"B\"" with title "A"`)
  expect(noticeCommand('A', "it's", 'win32').at(-1)).toContain("'A', 'it''s'")
})
