import { expect, test } from 'vitest'
import { noticeCommand } from './desktop-notice.ts'
import { isInTime, KeeperTrouble } from './keeper-trouble.ts'

/** The start of an app that ended at once, and of one that served for long. */
const QUICK = performance.now() + 1e9
const LONG = -1e9

test('an app that ends soon is started later and later, and counts as gone after three starts', () => {
  const trouble = new KeeperTrouble()
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => trouble.ended(QUICK, false) / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect([trouble.lasting(false), trouble.lasting(true)]).toEqual(['no_start', null])
  expect(trouble.ended(LONG, false)).toBe(0)
  expect([trouble.quickEnds, trouble.lasting(false)]).toEqual([0, null])
  trouble.ended(QUICK, false)
  trouble.ended(QUICK, false)
  expect(trouble.lasting(false)).toBeNull()
})

test('connections wait for an app that is started at once or a second later, and for no later one', () => {
  expect([0, 1000, 2000, 60_000].map(isInTime)).toEqual([true, true, false, false])
})

test('the person learns it once, and again only after an app has served for long', async () => {
  const trouble = new KeeperTrouble()
  trouble.ended(QUICK, false)
  expect([await trouble.tell(), await trouble.tell()]).toEqual([false, true])
  trouble.ended(QUICK, false)
  expect(await trouble.tell()).toBe(true)
  trouble.ended(LONG, false)
  expect([await trouble.tell(), await trouble.tell()]).toEqual([false, true])
})

test('a notice is shown by what each system has', () => {
  expect(noticeCommand('A', 'B.', 'linux')).toEqual(['notify-send', '--app-name=Aspy', 'A', 'B.'])
  expect(noticeCommand('A', 'B.', 'darwin')).toEqual(['osascript', '-e', 'display notification "B." with title "A"'])
  const [program, ...args] = noticeCommand('A', 'B.', 'win32')
  expect([program, args.at(-1)]).toEqual(['powershell.exe', expect.stringContaining("ShowBalloonTip(10000, 'A', 'B.'")])
})
