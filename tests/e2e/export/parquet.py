"""Rows of a Parquet file, as far as its format is used here: flat optional columns, data pages of the first version."""
import gzip
import mmap
import struct
import subprocess


class Thrift:
    """The compact protocol: structures become dictionaries by field number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            self.at += 1
            return self.data[self.at - 1]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(size)]
        assert kind == 12, kind
        fields, number = {}, 0
        while self.data[self.at]:
            head = self.data[self.at]
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self.value(head & 15)
        self.at += 1
        return fields


def unpack(data, at, width, count):
    """Values of `width` bits, the lowest first."""
    size, mask, out = (width * count + 7) // 8, (1 << width) - 1, []
    # 64 at a time: shifting a number of all bits would take as long as there are values, for each.
    for begin in range(0, size, 8 * width or 1):
        bits = int.from_bytes(data[at + begin:at + min(begin + 8 * width, size)], "little")
        out += [bits >> i & mask for i in range(0, 64 * width, width)]
    return out[:count] if width else [0] * count, at + size


def hybrid(data, at, end, width, count):
    """Runs and bit-packed groups."""
    out = []
    reader = Thrift(data, at)
    while len(out) < count and reader.at < end:
        head = reader.varint()
        if head & 1:
            values, reader.at = unpack(data, reader.at, width, (head >> 1) * 8)
            out += values
        else:
            size = (width + 7) // 8
            out += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
            reader.at += size
    return out[:count]


def delta(data, at, count):
    """DELTA_BINARY_PACKED, 64 bits."""
    reader = Thrift(data, at)
    block, parts, total, value = reader.varint(), reader.varint(), reader.varint(), reader.zigzag()
    assert total == count, (total, count)
    out = [value]
    while len(out) < total:
        least = reader.zigzag()
        widths = data[reader.at:reader.at + parts]
        reader.at += parts
        for width in widths:
            if len(out) >= total:
                break
            steps, reader.at = unpack(data, reader.at, width, block // parts)
            for step in steps:
                value = (value + least + step + (1 << 63)) % (1 << 64) - (1 << 63)
                out.append(value)
    return out[:total]


def plain(data, at, kind, count):
    if kind in (2, 5):
        return list(struct.unpack_from("<%d%s" % (count, "q" if kind == 2 else "d"), data, at))
    out = []
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        out.append(data[at + 4:at + 4 + size].decode())
        at += 4 + size
    return out


def inflate(codec, data, size):
    if codec == 6:
        data = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    elif codec == 2:
        data = gzip.decompress(data)
    assert len(data) == size, (codec, len(data), size)
    return data


def chunk(data, meta):
    """The values of a column chunk; None is NULL."""
    at, out, words = meta.get(11, meta[9]), [], None
    start = at
    while len(out) < meta[5]:
        reader = Thrift(data, at)
        header = reader.value(12)
        body = inflate(meta[4], data[reader.at:reader.at + header[3]], header[2])
        at = reader.at + header[3]
        if header[1] == 2:
            words = plain(body, 0, meta[1], header[7][1])
            continue
        count, encoding = header[5][1], header[5][2]
        size = struct.unpack_from("<I", body)[0]
        levels = hybrid(body, 4, 4 + size, 1, count)
        known, begin = sum(levels), 4 + size
        if encoding == 8:
            values = [words[i] for i in hybrid(body, begin + 1, len(body), body[begin], known)]
        elif encoding == 5:
            values = delta(body, begin, known) if known else []
        else:
            assert encoding == 0, encoding
            values = plain(body, begin, meta[1], known)
        if known < count:
            values = iter(values)
            values = [next(values) if level else None for level in levels]
        out += values
    assert at - start == meta[7]
    return out


def rows(path):
    with open(path, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = Thrift(data, len(data) - 8 - size).value(12)
    columns = footer[2][1:]
    names = [c[4].decode() for c in columns]
    total = 0
    for group in footer[4]:
        chunks = [chunk(data, c[3]) for c in group[1]]
        assert all(len(c) == group[3] for c in chunks)
        total += group[3]
        for values in zip(*chunks):
            yield dict(zip(names, values))
    assert total == footer[3]
