import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isTunnelProxyUrl } from '../../../../shared/tunnel-key.ts'
import { isPathSecret } from '../../../base/path-secret.ts'
import { parseLooseJson } from '../../../base/edit-json.ts'
import { editSettings, readSettings } from '../../../base/replace-file.ts'
import { ASSUME_VARIABLE } from '../connection.ts'
import { settingsEnvironment } from '../client-settings.ts'
import { ADDING, REPLACING } from '../full/full-variables.ts'
import { isVariable, undoChanges } from './settings-change.ts'
import { TRUST } from './full.ts'

/**
 * Takes clients that start from now on off Aspy: undoes the variables that setup wrote, or, without its record, removes those
 * that lead to Aspy. What running clients need stays: the service, the keys, the upstream. Returns one line per change.
 */
export const disconnect = (dataDir: string, settingsFile: string): string[] => [
  ...undoChanges(dataDir, isVariable),
  ...removeLeft(settingsFile),
]

/** Removes what leads to Aspy though no record says so: the data folder was removed, or another one's setup wrote it. */
function removeLeft(file: string): string[] {
  if (!existsSync(file)) return []
  const settings = readSettings(file, parseLooseJson)
  const env = settingsEnvironment([{ file, values: settings }])
  const names = Object.keys(env).filter((name) => leadsToAspy(name, env[name] ?? ''))
  if (names.length === 0) return []
  // Without the base URL, it would say nothing.
  if (names.includes('ANTHROPIC_BASE_URL') && env[ASSUME_VARIABLE] !== undefined) names.push(ASSUME_VARIABLE)
  for (const name of names) editSettings(file, ['env', name], undefined)
  return names.map((name) => `removed: env.${name} in ${file}`)
}

function leadsToAspy(name: string, value: string): boolean {
  if (isTunnelProxyUrl(value)) return true
  if (name === 'ANTHROPIC_BASE_URL') return isOurBaseUrl(value)
  const isTrust = name === ADDING || REPLACING.some((known) => known === name)
  // A program whose variable names a file that is gone trusts nobody.
  return isTrust && basename(dirname(value)) === TRUST && /^[\w-]+\.pem$/.test(basename(value)) && isOurTrust(value)
}

function isOurBaseUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && isPathSecret(url.pathname.split('/')[1] ?? '')
}

const isOurTrust = (file: string): boolean => !existsSync(file) || existsSync(`${dirname(file)}/system-and-aspy.pem`)
