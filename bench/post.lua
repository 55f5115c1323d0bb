-- wrk sends the body that it finds in its environment. Each request has another text in place of [<id>], which is the next line of
-- the file of ids, if there is one, and another JWT of the file of JWTs, if there is one.
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

local body = os.getenv("BENCH_BODY")
local place = "%[<id>%]"

local function linesOf(name)
  local lines = {}
  local file = os.getenv(name)
  if file then
    for line in io.lines(file) do lines[#lines + 1] = line end
  end
  return lines
end

local jwts, ids = linesOf("BENCH_JWTS"), linesOf("BENCH_IDS")

if #jwts > 0 then
  local count = tonumber(os.getenv("BENCH_JWT"))
  request = function()
    count = count + 1
    wrk.headers["authorization"] = "Bearer " .. jwts[count % #jwts + 1]
    return wrk.format(nil, nil, nil, body)
  end
elseif not body:find(place) then
  wrk.body = body
else
  local prefix = tostring(os.time()) .. "-" .. tostring({}):match("%x+$") .. "-"
  local count = 0
  request = function()
    count = count + 1
    return wrk.format(nil, nil, nil, (body:gsub(place, ids[(count - 1) % #ids + 1] or prefix .. count)))
  end
end
