-- wrk sends the body that it finds in its environment. Each request has another text in place of [<id>], and another JWT of the
-- file, if there is one.
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

local body = os.getenv("BENCH_BODY")
local place = "%[<id>%]"
local jwts = {}
local file = os.getenv("BENCH_JWTS")
if file then
  for line in io.lines(file) do jwts[#jwts + 1] = line end
end

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
    return wrk.format(nil, nil, nil, (body:gsub(place, prefix .. count)))
  end
end
