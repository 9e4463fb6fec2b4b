import { join } from 'node:path'
import { fetchPackage } from '../tests/support/client/fetched-package.ts'
import { ELECTRON_BUILDER } from '../tests/support/desktop/electron-builder.ts'

/** Returns the path of electron-builder. It is installed from npm into node_modules/.cache unless tests have it already. */
export async function fetchBuilder(say: (line: string) => void): Promise<string> {
  const { name, version } = ELECTRON_BUILDER
  const folder = join(import.meta.dirname, '../node_modules/.cache', `${name}-${version}`)
  const shared = ELECTRON_BUILDER.find()
  if (shared !== null) return shared
  const find = (place = folder) => ELECTRON_BUILDER.find(place)
  if (find() === null) say(`Fetching ${name} ${version} from npm into node_modules/.cache …`)
  const why = await fetchPackage({ ...ELECTRON_BUILDER, folder, find })
  const program = find()
  if (program === null) throw new Error(`${name} could not be downloaded: ${why ?? 'it is missing'}`)
  return program
}
