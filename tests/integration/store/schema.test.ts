import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { schemaText } from '../../../scripts/schema-text.ts'

test('schema.sql shows the schema that the migrations create', () => {
  const written = readFileSync(new URL('../../../src/main/store/schema.sql', import.meta.url), 'utf8')
  expect(written, 'run: npx node scripts/write-schema.ts').toBe(schemaText())
})
