import { expect, test } from 'vitest'
import { splitName } from './secret-name.ts'

test.each([
  ['dbPassword', ['db', 'password']],
  ['DB_PASSWORD', ['db', 'password']],
  ['db.password-2', ['db', 'password', '2']],
  ['password2', ['password', '2']],
  ['APIKey', ['api', 'key']],
  ['s3Key', ['s3', 'key']],
  ['k8', ['k8']],
  ['__', []],
])('%s is split into its words', (name, words) => {
  expect(splitName(name)).toEqual(words)
})
