/** Writes the list of the built files with their hashes into the build, when it is packed. Health compares them with it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILE_LIST, hashFiles } from '../src/main/health/package-files.ts'

const root = join(import.meta.dirname, '..')
writeFileSync(join(root, FILE_LIST), `${JSON.stringify(await hashFiles(root), null, 1)}\n`)
