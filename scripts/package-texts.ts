/** A release to describe: its version without `v`, the repository as OWNER/NAME, and SHA-256 in hex by file name. */
export interface Release {
  readonly version: string
  readonly repository: string
  readonly sums: ReadonlyMap<string, string>
}

const SUMMARY = 'Records what passes between Claude Code and the Anthropic API'

/** Parses a SHA256SUMS file: one `HASH  NAME` a line. Throws on any other line. */
export function parseSums(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, hash = '', name = ''] = /^([0-9a-f]{64}) [ *]([\w.-]+)$/.exec(line) ?? []
        if (name === '') throw new Error(`not a checksum: ${line}`)
        return [name, hash]
      }),
  )
}

/** Returns the texts by path: a Homebrew cask, three winget manifests, an AUR package. Throws if a file has no checksum. */
export function packageTexts(release: Release): ReadonlyMap<string, string> {
  if (!/^\d+\.\d+\.\d+$/.test(release.version)) throw new Error(`not a version: ${release.version}`)
  if (!/^[\w.-]+\/[\w.-]+$/.test(release.repository)) throw new Error(`not a repository: ${release.repository}`)
  return new Map([
    ['homebrew/aspy.rb', homebrewCask(release)],
    ...wingetManifests(release),
    ['aur/PKGBUILD', aurPackage(release)],
  ])
}

function file({ version, repository, sums }: Release, ending: string) {
  const name = `aspy-${version}-${ending}`
  const hash = sums.get(name)
  if (hash === undefined) throw new Error(`there is no checksum of ${name}`)
  return { hash, url: `https://github.com/${repository}/releases/download/v${version}/${name}` }
}

function homebrewCask(release: Release): string {
  const { version, repository } = release
  return `cask "aspy" do
  arch arm: "arm64", intel: "x64"

  version "${version}"
  sha256 arm:   "${file(release, 'mac-arm64.dmg').hash}",
         intel: "${file(release, 'mac-x64.dmg').hash}"

  url "https://github.com/${repository}/releases/download/v#{version}/aspy-#{version}-mac-#{arch}.dmg"
  name "Aspy"
  desc "${SUMMARY}"
  homepage "https://github.com/${repository}"

  app "Aspy.app"
end
`
}

function wingetManifests(release: Release): readonly (readonly [string, string])[] {
  const { version, repository } = release
  const { hash, url } = file(release, 'win-x64.exe')
  const manifest = (kind: string, lines: readonly string[]) =>
    [
      'PackageIdentifier: Aspy.Aspy',
      `PackageVersion: ${version}`,
      ...lines,
      `ManifestType: ${kind}`,
      'ManifestVersion: 1.10.0',
      '',
    ].join('\n')
  return [
    ['winget/Aspy.Aspy.yaml', manifest('version', ['DefaultLocale: en-US'])],
    [
      'winget/Aspy.Aspy.installer.yaml',
      manifest('installer', [
        'InstallerType: nullsoft',
        'Installers:',
        '  - Architecture: x64',
        `    InstallerUrl: ${url}`,
        `    InstallerSha256: ${hash.toUpperCase()}`,
      ]),
    ],
    [
      'winget/Aspy.Aspy.locale.en-US.yaml',
      manifest('defaultLocale', [
        'PackageLocale: en-US',
        'Publisher: Aspy maintainers',
        'PackageName: Aspy',
        `PackageUrl: https://github.com/${repository}`,
        'License: MIT',
        `ShortDescription: ${SUMMARY}`,
      ]),
    ],
  ]
}

function aurPackage(release: Release): string {
  const { version, repository } = release
  const { hash, url } = file(release, 'linux-x64.tar.gz')
  return `# Maintainer: Aspy maintainers
pkgname=aspy-bin
pkgver=${version}
pkgrel=1
pkgdesc='${SUMMARY}'
arch=('x86_64')
url='https://github.com/${repository}'
license=('MIT')
depends=('alsa-lib' 'gtk3' 'nss')
provides=('aspy')
conflicts=('aspy')
options=('!strip')
source=('${url}')
sha256sums=('${hash}')

package() {
  install -d "$pkgdir/opt/aspy" "$pkgdir/usr/bin"
  cp -r "$srcdir"/*/. "$pkgdir/opt/aspy"
  chmod 4755 "$pkgdir/opt/aspy/chrome-sandbox"
  ln -s /opt/aspy/aspy "$pkgdir/usr/bin/aspy-desktop"
  install -Dm644 "$pkgdir/opt/aspy/LICENSE.electron.txt" "$pkgdir/usr/share/licenses/aspy-bin/LICENSE.electron.txt"
}
`
}
