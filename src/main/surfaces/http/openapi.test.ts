import { expect, test } from 'vitest'
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
