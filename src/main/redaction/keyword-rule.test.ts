import { expect, test } from 'vitest'
import { MARK, make } from './fixtures/redactor-under-test.ts'
import { keywordRule } from './keyword-rule.ts'

const redactor = make({ extraRules: [keywordRule] })
const seen = (text: string) => redactor.text(text).replace(new RegExp(MARK, 'g'), '•')

test.each([
  ['passphrase: river', 'passphrase: •'],
  ['my_secret_word = "door" # todo', 'my_secret_word = "•" # todo'],
  ["the Token of the day: 'tulip', not the rose", "the Token of the day: 'tulip', not the rose"],
  ["Token='tulip', not the rose", "Token='•', not the rose"],
])('marks any value after the word and a sign: %s', (text, expected) => {
  expect(seen(text)).toBe(expected)
})

test.each(['token = read(1)', 'token: rows[0]', 'passphrase=${HOME}', 'the token: abc', 'the secret of success'])(
  'leaves code, short values and prose: %s',
  (text) => {
    expect(seen(text)).toBe(text)
  },
)
