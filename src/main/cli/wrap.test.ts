import { afterEach, expect, test } from 'vitest'
import { terminalWidth, wrapped } from './wrap.ts'

test('a line is broken between words, and what fits stays as it is', () => {
  expect(wrapped('one two three\nfour', 9)).toBe('one two\nthree\nfour')
  expect(wrapped('one two three', Infinity)).toBe('one two three')
})

test('what follows is indented as the text is, also in a list and behind columns', () => {
  expect(wrapped('  - one two three', 12)).toBe('  - one two\n    three')
  expect(wrapped('note     plugin  one two three four', 34)).toBe(
    'note     plugin  one two three\n                 four',
  )
  const mend = ' '.repeat(24)
  expect(wrapped(`${mend}→ run aspy setup to mend what is said`, 50)).toBe(
    `${mend}→ run aspy setup to mend\n${mend}  what is said`,
  )
  expect(wrapped('two words      one two three', 20)).toBe('two words      one\n  two three')
  expect(wrapped('2026-11-21 10:15  answer  01a2270f-25fc-717d', 40)).toBe(
    '2026-11-21 10:15  answer\n  01a2270f-25fc-717d',
  )
  expect(wrapped('1.0  2026-11-01 10:11  user_prompt  01a228b2-e396-77d8  one two', 40)).toBe(
    '1.0  2026-11-01 10:11  user_prompt\n  01a228b2-e396-77d8  one two',
  )
})

test('a command on a line of its own stays whole, and a line that was added is indented like one that was removed', () => {
  for (const command of [
    '  cd /a/b && claude --resume 1',
    '  claude --resume 1',
    '  /x/aspy run -- claude --resume 1',
    '  aspy team policy metadata --project ~/shop',
    '  cd "C:/a b"',
    '  node "C:/a b/aspy" run -- claude',
  ])
    expect(wrapped(command, 8)).toBe(command)
  expect([wrapped('+ one two', 6), wrapped('- one two', 6)]).toEqual(['+ one\n  two', '- one\n  two'])
})

test('a word that has no room stays whole, and colors take none', () => {
  expect(wrapped('see /a/very/long/path now', 8)).toBe('see\n/a/very/long/path\nnow')
  expect(wrapped('\u001b[1mone\u001b[0m two', 7)).toBe('\u001b[1mone\u001b[0m two')
})

test('Chinese and Japanese break between characters, but not before a closing sign', () => {
  expect(wrapped('  日本語の題名です。次', 12)).toBe('  日本語の題\n  名です。次')
  expect(wrapped('see 日本語の題名です。', 16)).toBe('see 日本語の題名\nです。')
  expect(wrapped('a  b\u001b[1m日本\u001b[0m語 c', 8)).toBe('a  b\u001b[1m日本\u001b[0m\n   語 c')
})

test.each(['/home/山田/記録', String.raw`C:\記録\山田`, "'記録の山田太郎'", '"記録の山田太郎"'])(
  'a word to copy stays whole among Chinese and Japanese: %s',
  (word) => {
    expect(wrapped(`次の命令 aspy stop --data ${word} を実行`, 12)).toBe(`次の命令\naspy stop\n--data\n${word}\nを実行`)
  },
)

const { columns } = process.stdout
afterEach(() => void (process.stdout.columns = columns))

test('a terminal that says it has no columns has 80', () => {
  const widths = [0, 40, undefined].map((each) => {
    process.stdout.columns = each as number
    return terminalWidth()
  })
  expect(widths).toEqual([80, 40, Infinity])
})
