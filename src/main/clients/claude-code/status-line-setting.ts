import { objectOf, stringOf } from '../../../shared/json-fields.ts'
import { clientSettings, type ClientSettings } from './client-settings.ts'

const OURS = /\baspy(?:\.\w+)?['"]?\s+statusline\b/

/** Returns the settings files that run `aspy statusline`. People put it there, so that no undo takes it out. */
export const filesWithStatusLine = (settings: readonly ClientSettings[]): readonly string[] =>
  settings.flatMap(({ file, values }) =>
    OURS.test(stringOf(objectOf(values?.['statusLine'])['command']) ?? '') ? [file] : [],
  )

/** Returns those files for clients that are started here. */
export const statusLinesHere = (home: string): readonly string[] =>
  filesWithStatusLine(clientSettings(process.env, home, process.cwd()))
