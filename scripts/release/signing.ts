import { given } from './step.ts'

/** How to pack with the certificates that are there: variables and configuration of electron-builder. */
export interface Signing {
  readonly env: NodeJS.ProcessEnv
  readonly config: object
  readonly said: string
}

/** Every variable that holds a certificate or an account, of ours and of electron-builder. */
const SECRETS = /^(MAC_|WINDOWS_|(WIN_)?CSC_|APPLE_)/
const NOTARIZATION = ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'] as const

/**
 * Chooses them for a system. electron-builder must not see an empty certificate: it takes '' for a file. Throws if only
 * some secrets of a group are set.
 */
export function chooseSigning(platform: NodeJS.Platform, env: NodeJS.ProcessEnv = process.env): Signing {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.test(name)))
  if (platform !== 'darwin' && platform !== 'win32') return { env: rest, config: {}, said: 'Linux: nothing is signed.' }
  const prefix = platform === 'darwin' ? 'MAC' : 'WINDOWS'
  const certificate = group([`${prefix}_CERTIFICATE`, `${prefix}_CERTIFICATE_PASSWORD`], env)
  const account = platform === 'darwin' ? group(NOTARIZATION, env) : null
  if (certificate === null) {
    if (account !== null) throw new Error('APPLE_ID is set, but only what MAC_CERTIFICATE signed can be notarized')
    // A mac with an ARM processor starts nothing unsigned. Without a certificate the hardened runtime would refuse
    // Electron's own libraries.
    const config = platform === 'darwin' ? { mac: { identity: '-', hardenedRuntime: false, notarize: false } } : {}
    const found = { ...rest, CSC_IDENTITY_AUTO_DISCOVERY: 'false' }
    return { env: found, config, said: `${prefix}_CERTIFICATE is not set: signed with no certificate.` }
  }
  const [link = '', password = ''] = certificate
  const accountEnv = Object.fromEntries(NOTARIZATION.map((name, index) => [name, account?.[index]]))
  return {
    env: { ...rest, CSC_LINK: link, CSC_KEY_PASSWORD: password, ...(account === null ? {} : accountEnv) },
    config: platform === 'darwin' ? { mac: { notarize: account !== null } } : {},
    said: `Signed with ${prefix}_CERTIFICATE${platform === 'darwin' && account === null ? ', not notarized' : ''}.`,
  }
}

/** Returns values that only make sense together; null if all are unset or blank. */
function group(names: readonly string[], env: NodeJS.ProcessEnv): readonly string[] | null {
  const values = names.map((name) => given(name, env))
  const missing = names.filter((_name, index) => values[index] === null)
  if (missing.length === names.length) return null
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} must be set too, beside the others of ${names.join(', ')}`)
  return values.filter((value) => value !== null)
}
