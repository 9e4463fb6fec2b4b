import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writeStubRuntime } from '../../../scripts/pack-desktop.ts'

/** The part of resedit, which electron-builder brings, that makes a program for Windows. */
interface Resedit {
  readonly NtExecutable: { createEmpty(is32Bit: boolean, isDll: boolean): { generate(): ArrayBuffer } }
  readonly NtExecutableResource: { from(program: object): { entries: object[]; outputResource(into: object): void } }
  readonly Resource: { readonly VersionInfo: { createEmpty(): VersionInfo } }
}
interface VersionInfo {
  setStringValues(language: object, values: object): void
  outputToResourceEntries(entries: object[]): void
}

/** Creates a stub of Electron's runtime for a system: its files, and its fuses in a program that does nothing. */
export function writeStubFor(system: 'mac' | 'win' | 'linux', folder: string, builder: string): void {
  writeStubRuntime(folder)
  if (system === 'linux') return
  const program = join(folder, 'electron')
  if (system === 'win') {
    writeFileSync(`${program}.exe`, Buffer.concat([emptyProgram(builder), readFileSync(program)]))
    return
  }
  const contents = join(folder, 'Electron.app/Contents')
  const framework = join(contents, 'Frameworks/Electron Framework.framework')
  mkdirSync(join(contents, 'Resources'), { recursive: true })
  mkdirSync(framework, { recursive: true })
  renameSync(program, join(framework, 'Electron Framework'))
  writeBundle(contents, 'Electron')
  for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)']) {
    writeBundle(join(contents, `Frameworks/Electron Helper${kind}.app/Contents`), `Electron Helper${kind}`)
  }
}

function writeBundle(contents: string, name: string): void {
  const path = join(contents, 'MacOS', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '', { mode: 0o755 })
  writeFileSync(
    join(contents, 'Info.plist'),
    `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleName</key><string>${name}</string></dict></plist>`,
  )
}

/** Returns a program for Windows with one version, to which electron-builder writes its own. */
function emptyProgram(builder: string): Buffer {
  const { NtExecutable, NtExecutableResource, Resource } = createRequire(
    createRequire(builder).resolve('app-builder-lib'),
  )('resedit') as Resedit
  const program = NtExecutable.createEmpty(false, false)
  const resource = NtExecutableResource.from(program)
  const version = Resource.VersionInfo.createEmpty()
  version.setStringValues({ lang: 1033, codepage: 1200 }, { ProductName: 'Electron' })
  version.outputToResourceEntries(resource.entries)
  resource.outputResource(program)
  return Buffer.from(program.generate())
}
