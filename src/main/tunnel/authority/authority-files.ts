import { join } from 'node:path'
import { trustedText } from '../../base/private-file.ts'
import { replacePrivateFile } from '../../base/replace-private-file.ts'
import { pemBlocks, readAuthority, type Authority } from './authority.ts'

/** Names of the files of a client's authorities in the data folder. */
export interface AuthorityFiles {
  /** The certificates, for clients: `NODE_EXTRA_CA_CERTS` names this file. */
  readonly certificates: string
  /** Their private keys. In no backup and no export. */
  readonly keys: string
}

export const CLAUDE_CODE_FILES: AuthorityFiles = { certificates: 'ca.pem', keys: 'ca.key' }
export const CODEX_FILES: AuthorityFiles = { certificates: 'codex-ca.pem', keys: 'codex-ca.key' }

/** Storage of authorities between starts. */
export interface AuthorityStore {
  /** Returns the saved authorities that are complete, oldest first. */
  load(): readonly Authority[]
  save(authorities: readonly Authority[]): void
}

/** Keeps authorities in memory only, if the data folder cannot be used: they end with the app. */
export const inMemory = (): AuthorityStore => ({ load: () => [], save: () => undefined })

/** Keeps authorities in two files of the data folder, mode 0600. Authorities that cannot be trusted or read are left out. */
export function inFolder(dataDir: string, files = CLAUDE_CODE_FILES): AuthorityStore {
  return {
    load() {
      const certificates = pemBlocks(trustedText(join(dataDir, files.certificates)))
      const keys = pemBlocks(trustedText(join(dataDir, files.keys)))
      return certificates.flatMap((certificate) => {
        const found = keys.map((key) => readAuthority(certificate, key)).find((authority) => authority !== null)
        return found === undefined ? [] : [found]
      })
    },
    save(authorities) {
      // Keys first: a certificate without its key is left out, and clients that trust it could not connect.
      replacePrivateFile(join(dataDir, files.keys), authorities.map(({ privateKey }) => privateKey).join(''))
      replacePrivateFile(join(dataDir, files.certificates), authorities.map(({ certificate }) => certificate).join(''))
    },
  }
}
