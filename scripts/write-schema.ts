/** Writes src/main/store/database/schema.sql. Run it after adding a migration; tests/integration/store/schema.test.ts checks it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaText } from './schema-text.ts'

writeFileSync(join(import.meta.dirname, '../src/main/store/database/schema.sql'), schemaText())
