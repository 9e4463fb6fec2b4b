import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../shared/contract/index.ts'
import { describeApi } from './openapi.ts'

test('the description says how a caller signs in, and which version answers', () => {
  expect(describeApi([], '1.2.3')).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Aspy', version: '1.2.3' },
    security: [{ key: [] }],
    paths: {},
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  })
})

test('an operation without an example has none, instead of one that is null', () => {
  const api = JSON.stringify(describeApi(OPERATIONS, '1.2.3'))
  expect(api.includes('"example":{')).toBe(true)
  expect(api.includes('"example":null')).toBe(false)
})
