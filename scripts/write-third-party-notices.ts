import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thirdPartyNotices } from './third-party.ts'

/** Writes THIRD_PARTY_NOTICES.md. Run it after a change of package-lock.json. */
writeFileSync(join(import.meta.dirname, '../THIRD_PARTY_NOTICES.md'), thirdPartyNotices())
