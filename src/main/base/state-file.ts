import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../shared/error-text.ts'
import { replacePrivateFile } from './replace-private-file.ts'

/** Reads a JSON file of our own; null if there is none, or its content is invalid. Throws file system errors. */
export function readState<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return null
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Replaces the file atomically, and creates its folder. Throws file system errors. */
export function writeState(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replacePrivateFile(file, `${JSON.stringify(value)}\n`)
}
