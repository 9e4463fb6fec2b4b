/** Replaces each path. */
const LEFT_OUT = '[path]'

/** Fields whose whole value is a path, also one with spaces. */
const PATH_FIELD = /^(?:.*_)?(?:path|paths|cwd|dir|directory|file|filename|workdir)$|(?:Path|Dir|Directory|File|Cwd)$/

const PATHS: readonly RegExp[] = [
  // %2Fhome%2Fme, C%3A%5CUsers%5Cme, %252Fhome, \u002fhome\u002fme, \x2fhome and &#47;home
  /(?:\b[A-Za-z](?:%3A|:))?(?:(?:%(?:25)*(?:2F|5C)|\\u00(?:2f|5c)|\\x(?:2f|5c)|&#(?:47|92|x2f|x5c);|&(?:sol|bsol);)(?:[\w.~+@-]|%(?!(?:25)*(?:2F|5C))[0-9A-F]{2})*)+/gi,
  // -home-me-work and C--Users-me-work: the client's names for folders
  /(?<=projects[\\/]+)[A-Za-z]?-[\w-]+|(?<![\w-])-{1,2}[A-Za-z][\w-]*(?=[\\/]+[\w-]+\.jsonl)|(?<![\w-])(?:--?(?:Users|Volumes)|-(?:data|work|scratch|export|storage|nas|homes|code|builds?)-\w+|-(?:home|root|Users|Volumes|mnt|media|private|tmp|var|opt|srv|usr|workspaces?)|[A-Za-z]-)-[\w-]*\w/g,
  /\b(?:file|vscode[\w-]*|cursor|windsurf|idea|jetbrains|zed|webpack[\w-]*|unix):\/+[^\s"'<>`]+/g,
  // What has no host: sqlite:////home/me/a.db
  /\b[a-z][\w+.-]*:\/{3,}[^\s"'<>`]+/gi,
  // C:\Users\Me Too\work, whose last folder may have spaces no more
  /(?<![A-Za-z])[A-Za-z]:[\\/]+Users[\\/]+[^\\/:"'<>|*?`\n]{1,60}[\\/]+[^\s"'<>|*?`]+/g,
  // %USERPROFILE%\work, ${HOME}/work, ~me/work
  /(?:%\w*(?:PROFILE|APPDATA|HOME\w*|TE?MP)%|\$\{?(?:env:)?\w*(?:HOME|PWD|PROFILE|APPDATA|TE?MP|TMPDIR|PROJECT_DIR|workspaceFolder)\}?|(?<![\w~])~[a-z_]\w*)(?:[\\/]+[^\s"'<>|*?`\\/]+)+/g,
  // C:\Users\me, C:/Users/me and \\server\share
  /(?<![A-Za-z])[A-Za-z]:[\\/]+[^\s"'<>|*?`]+/g,
  /(?:\\\\|(?<![\w:])\/\/(?=wsl[$.]))[\w.$-]+[\\/][^\s"'<>|*?`]+/g,
  // /home/me/…, ~/…, ./… and ../… of at least one folder
  /(?:(?<![\w:/.~])|(?<=[\w\])]:|(?<![\w-])-[A-Za-z])(?!\/\/))(?:~|\.{1,2})?\/(?:\\ |[^\s/"'<>|*?`,;:()[\]{}])+(?:\/(?:\\ |[^\s/"'<>|*?`,;:()[\]{}])*)+/g,
  /(?<![\w:/.])(?:~|\.{1,2})\/[^\s/"'<>|*?`,;:()[\]{}]+/g,
  // src/main/app.ts
  /(?<![\w:/.@-])[\w.@-]+(?:\/[\w.@-]+)*\/[\w@-]*\.\w{1,10}\b/g,
]

/** Returns a copy with every path in every text and key replaced. `project` is the folder, which may have spaces. */
export function withoutPaths<T>(value: T, project: string | null): T {
  return replaced(value, '', project === null || project.length < 2 ? null : project) as T
}

/** Returns a text with every path in it replaced. */
export function textWithoutPaths(text: string, project: string | null): string {
  const known =
    project === null ? text : namesOf(project).reduce<string>((rest, name) => rest.replaceAll(name, LEFT_OUT), text)
  return PATHS.reduce((rest, pattern) => rest.replaceAll(pattern, LEFT_OUT), known)
}

/** Returns a folder, and the client's names for it, the folders above it and those below them: `-home-me-work`. */
function namesOf(project: string): readonly (string | RegExp)[] {
  const ends = [...project.matchAll(/[\\/]|$/g)].map(({ index }) => index).slice(2)
  const names = ends.toReversed().map((end) => project.slice(0, end).replaceAll(/[^A-Za-z0-9]/g, '-'))
  return [project, ...[...new Set(names)].map((name) => new RegExp(`${name}[\\w-]*`, 'g'))]
}

function replaced(value: unknown, field: string, project: string | null): unknown {
  if (typeof value === 'string') {
    if (value === '') return value
    // An HTTP path of a request is not a file.
    const isFile = PATH_FIELD.test(field) && !value.startsWith('/v1/')
    return isFile ? LEFT_OUT : textWithoutPaths(value, project)
  }
  if (Array.isArray(value)) return value.map((one) => replaced(one, field, project))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      textWithoutPaths(key, project),
      // The folder of a session is a path or absent.
      key === 'project' && typeof one === 'string' ? null : replaced(one, key, project),
    ]),
  )
}
