import { crc32, deflateRawSync } from "node:zlib";

export type ZipFile = {
  readonly path: string;
  readonly content: string | Buffer;
  /** What the zip says the size is; the true one when absent. */
  readonly declaredSize?: number;
  readonly checksum?: number;
  /** Unix mode in the upper half of the attributes. */
  readonly mode?: number;
  readonly isEncrypted?: boolean;
};

/** A zip with these files, whatever they are: also what no honest tool would write. */
export function aZip(files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const data = deflateRawSync(file.content);
    const local = Buffer.concat([localHeader(file, data), Buffer.from(file.path), data]);
    central.push(Buffer.concat([centralHeader(file, data, offset), Buffer.from(file.path)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function localHeader(file: ZipFile, data: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeCommon(header, 6, file, data);
  return header;
}

function centralHeader(file: ZipFile, data: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4);
  header.writeUInt16LE(20, 6);
  writeCommon(header, 8, file, data);
  header.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return header;
}

/** Flags to file name length lie in the same order in both headers. */
function writeCommon(header: Buffer, at: number, file: ZipFile, data: Buffer): void {
  header.writeUInt16LE((file.isEncrypted ? 1 : 0) | 0x800, at);
  header.writeUInt16LE(8, at + 2);
  header.writeUInt32LE(file.checksum ?? crc32(file.content), at + 8);
  header.writeUInt32LE(data.length, at + 12);
  header.writeUInt32LE(file.declaredSize ?? Buffer.byteLength(file.content), at + 16);
  header.writeUInt16LE(Buffer.byteLength(file.path), at + 20);
}
