import { expect, test } from 'vitest'
import { wordsOfError } from './error-words.ts'

test.each([
  [{ type: 'error', error: { type: 'api_error', message: 'm' } }, 'api_error', null, 'm'],
  [{ error: { message: 'm', code: 'c', type: 't' } }, 't', 'c', 'm'],
  [{ error: 'Bad Request', message: 'm' }, null, null, 'm'],
  [{ message: 'm', __type: 'ThrottlingException' }, 'ThrottlingException', null, 'm'],
  [{ type: 'error', message: 'm' }, null, null, 'm'],
  [{ detail: 'm' }, null, null, 'm'],
  [{ detail: [{ loc: ['body'], msg: 'm', type: 'missing' }] }, 'missing', null, 'm'],
  [{ errors: [{ message: 'm', code: 7 }] }, null, null, 'm'],
  [[{ error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } }], 'RESOURCE_EXHAUSTED', null, 'm'],
  [{ error: null, message: '' }, null, null, null],
  ['m', null, null, null],
  [undefined, null, null, null],
])('the error %j says what it is', (body, type, code, message) => {
  expect(wordsOfError(body)).toEqual({ type, code, message })
})
